import * as z from 'zod';
import { fieldError } from '../../../contract/errors.ts';
import { servicePrefix } from '../../../contract/prefix.ts';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { Token } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { loginWithAssertion } from '../../identity/federated-login.ts';
import { defineOperation } from '../define.ts';

const path = '/user-identities/renew-app-token';

const Body = z
  .strictObject({
    samlResponse: sensitive(
      z.string().min(1, 'must not be empty').max(100_000, 'must not be longer than 100000 characters'),
      'one-time',
    ).describe('Base64 of a SAML 2.0 response; the response, its assertion, or both are signed'),
    relayState: z.string().max(2000, 'must not be longer than 2000 characters').optional().describe('Not looked at'),
  })
  .meta({ id: 'RenewAppTokenInput' });

export default defineOperation({
  id: 'user-identities.renew-app-token',
  title: 'Generate a renew app token based on SAML integration informed data',
  description:
    'Logs in the user of a SAML response. Its recipient is the URL of this operation, its audience that of the registered provider. The user has the login identifier <provider>:<NameID>; else a verified e-mail that the response names, in a domain of the provider, which makes that identifier. A response counts once. Where it proves nothing, what is wrong is not told.',
  method: 'POST',
  path,
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 412, 422, 500],
  request: { query: { clientId: ClientId.optional().describe('The calling client') }, body: Body },
  response: { status: 201, body: Token, secret: true },
  identifies: ['samlResponse'],
  errors: ['PROOF_INVALID', 'SUBJECT_UNKNOWN'],

  async handle({ body }, { caller, baseUrl, providers, ...context }) {
    const encoded = body.samlResponse.replaceAll(/\s/g, '');
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded))
      throw fieldError('FIELD_TYPE', 'samlResponse', 'samlResponse must be base64.');
    const proof = await providers.verifySamlResponse(encoded, `${baseUrl}${servicePrefix}${path}`);
    return loginWithAssertion(context, proof, caller.client, { remember: false, renewable: false });
  },
});
