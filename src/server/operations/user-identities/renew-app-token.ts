import * as z from 'zod';
import { fieldError } from '../../../contract/errors.ts';
import { servicePrefix } from '../../../contract/prefix.ts';
import { ClientId } from '../../../contract/schemas/client.ts';
import { nonEmptyText, textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { startAssertionSession } from '../../federation/federated-login.ts';
import { defineOperation } from '../define.ts';

const path = '/user-identities/renew-app-token';

const Body = z
  .strictObject({
    samlResponse: sensitive(nonEmptyText(100_000), 'one-time').meta({
      description: 'Base64 of a SAML 2.0 response; the response, its assertion, or both must be signed',
      examples: ['PHNhbWxwOlJlc3BvbnNlLz4='],
    }),
    relayState: textUpTo(2000)
      .optional()
      .meta({ description: 'Ignored', examples: ['cmVsYXktc3RhdGU'] }),
  })
  .meta({ id: 'RenewAppTokenInput' });

export default defineOperation({
  id: 'user-identities.renew-app-token',
  title: 'Log in with a SAML response',
  description:
    'Logs in the user of a SAML response: the user with the login identifier <provider>:<NameID>, otherwise the user with the verified e-mail address in the response. In the second case, the address must be in a domain of the provider, the user must have no login identifier of the provider, and this one is added. The recipient must be the URL of this operation, and the audience that of the registered provider. A response is accepted only once. The response of this operation does not state why a SAML response is rejected.',
  method: 'POST',
  path,
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 412, 422, 500],
  request: { query: { clientId: ClientId.optional().describe('Id of the calling client') }, body: Body },
  response: { status: 201, body: Token, secret: true },
  identifies: ['samlResponse'],
  errors: ['PROOF_INVALID', 'SUBJECT_UNKNOWN', 'TOKEN_TOO_LONG'],

  async handle({ body }, context) {
    const encoded = body.samlResponse.replaceAll(/\s/g, '');
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded))
      throw fieldError('FIELD_TYPE', 'samlResponse', 'samlResponse must be base64.');
    const assertion = await context.providers.verifySamlResponse(encoded, `${context.baseUrl}${servicePrefix}${path}`);
    const content = await startAssertionSession(context, assertion, context.caller.client, {
      remember: false,
      renewable: false,
    });
    return context.issuer.issue(content);
  },
});
