import * as z from 'zod';
import { grantTypes } from '../../../contract/grant-types.ts';
import { issueGrant } from '../../auth/grants.ts';
import { parseGrantRequest, tokenErrors, tokenFields, tokenParameters, toOAuthToken } from '../../auth/token-form.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'client-identities.connect-token',
  title: 'Obtain a token (OAuth 2.0)',
  description:
    'OAuth 2.0 token endpoint (RFC 6749) for the same clients and users, for use with OAuth client libraries. The body is a form, or a JSON object with the same members. Errors have the format of the RFC.',
  method: 'POST',
  path: '/client-identities/connect/token',
  auth: 'none',
  roles: 'none',
  renewsSession: true,
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 429, 500],
  request: {
    body: z.object(tokenParameters).meta({ id: 'TokenForm' }),
    form: true,
    repeatable: ['resource'],
    clientInBody: true,
  },
  response: {
    status: 200,
    body: z.strictObject(tokenFields).meta({ id: 'OAuthToken', description: 'Token response of RFC 6749, 5.1.' }),
    secret: true,
  },
  identifies: ['client_id', 'username'],
  errors: tokenErrors,
  errorFormat: 'oauth',
  openapiExamples: {
    body: { grant_type: 'client_credentials', client_id: 'billing-service', client_secret: 'only-for-this-machine' },
  },

  async handle({ body }, context) {
    const granted = await issueGrant(context, parseGrantRequest(body, grantTypes), { clientsRenew: false });
    return toOAuthToken(context.issuer, { token: granted.token });
  },
});
