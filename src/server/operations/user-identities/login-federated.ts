import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { LoginQuery } from '../../../contract/schemas/client.ts';
import { nonEmptyText, singleLine } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { startAssertionSession } from '../../federation/federated-login.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    provider: singleLine(64, 'Name of a registered OpenID provider').meta({ examples: ['example-provider'] }),
    idToken: sensitive(nonEmptyText(20_000), 'secret').meta({
      description: 'ID token (OpenID Connect Core)',
      examples: ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'],
    }),
    nonce: sensitive(nonEmptyText(500), 'one-time')
      .optional()
      .meta({
        description: 'Nonce of the authentication request; required if the token contains one',
        examples: ['bm9uY2U'],
      }),
  })
  .meta({ id: 'LoginFederatedInput' });

export default defineOperation({
  id: 'user-identities.login-federated',
  title: 'Log in with an OpenID Connect provider',
  description:
    'Logs in the user of an ID token: the user with the login identifier <provider>:<sub>, otherwise the user with the verified e-mail address in the token. In the second case, the provider must have verified the address, the address must be in a domain of the provider, the user must have no login identifier of the provider, and this one is added. A token is accepted only once. The response does not state why a token is rejected.',
  method: 'POST',
  path: '/user-identities/login-federated',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 404, 412, 500, 503],
  request: {
    query: LoginQuery,
    body: Body,
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['idToken'],
  errors: ['PROVIDER_NOT_FOUND', 'PROVIDER_UNAVAILABLE', 'PROOF_INVALID', 'SUBJECT_UNKNOWN', 'TOKEN_TOO_LONG'],

  async handle({ query, body }, context) {
    const provider = await context.store.providers.get(body.provider);
    if (provider?.kind !== 'oidc') throw apiError('PROVIDER_NOT_FOUND');
    const assertion = await context.providers.verifyIdToken(provider, body);
    const remember = query['remember-me'] ?? false;
    const content = await startAssertionSession(context, assertion, context.caller.client, {
      remember,
      renewable: remember,
    });
    return context.issuer.issue(content);
  },
});
