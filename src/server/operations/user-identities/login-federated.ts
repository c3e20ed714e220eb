import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { singleLine, Token } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { loginWithAssertion } from '../../identity/federated-login.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    provider: singleLine(64, 'Name of a registered OpenID provider'),
    idToken: sensitive(
      z.string().min(1, 'must not be empty').max(20_000, 'must not be longer than 20000 characters'),
      'secret',
    ).describe('ID token (OpenID Connect Core)'),
    nonce: sensitive(
      z.string().min(1, 'must not be empty').max(500, 'must not be longer than 500 characters'),
      'one-time',
    )
      .optional()
      .describe('The nonce of the request that the token answers; needed where the token has one'),
  })
  .meta({ id: 'LoginFederatedInput' });

export default defineOperation({
  id: 'user-identities.login-federated',
  title: 'Login using federated accounts',
  description:
    'Logs in the user of an ID token. The user has the login identifier <provider>:<sub>; else a verified e-mail that the provider verified as well, in a domain of the provider, which makes that identifier. A token counts once. Where it proves nothing, what is wrong is not told.',
  method: 'POST',
  path: '/user-identities/login-federated',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 404, 412, 500, 503],
  request: {
    query: {
      clientId: ClientId.optional().describe('The calling client'),
      'remember-me': z.boolean().optional().describe('Gives a refresh token and shorter access tokens'),
    },
    body: Body,
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['idToken'],
  errors: ['PROVIDER_NOT_FOUND', 'PROVIDER_UNAVAILABLE', 'PROOF_INVALID', 'SUBJECT_UNKNOWN'],

  async handle({ query, body }, { caller, providers, ...context }) {
    const provider = await context.store.providers.get(body.provider);
    if (provider?.kind !== 'oidc') throw apiError('PROVIDER_NOT_FOUND');
    const proof = await providers.verifyIdToken(provider, body);
    const remember = query['remember-me'] ?? false;
    return loginWithAssertion(context, proof, caller.client, { remember, renewable: remember });
  },
});
