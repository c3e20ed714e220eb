import * as z from 'zod';
import { apiError, fieldError } from '../../../contract/errors.ts';
import { grantTypes } from '../../../contract/grant-types.ts';
import { exampleText, textUpTo } from '../../../contract/schemas/primitives.ts';
import { LoginPassword } from '../../../contract/schemas/user.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { withoutEmptyParameters } from '../../auth/client-authentication.ts';
import { type GrantRequest, issueGrant } from '../../auth/grants.ts';
import { defineOperation } from '../define.ts';

const text = textUpTo(1000);

/** Unknown parameters are ignored (RFC 6749, 3.2). */
const Form = z
  .object({
    grant_type: text.describe('client_credentials, password or refresh_token'),
    client_id: text.optional(),
    client_secret: sensitive(text, 'secret').optional(),
    scope: text.optional().describe('Scopes separated by spaces'),
    resource: z
      .union([text, z.array(text).max(20, 'must have at most 20 values')])
      .optional()
      .describe('Services that the token is for (RFC 8707), repeatable: the issuer, or audiences of the client'),
    refresh_token: sensitive(text, 'secret').optional(),
    username: text.optional(),
    password: LoginPassword.optional(),
  })
  .meta({ id: 'TokenForm' });

const OAuthToken = z
  .strictObject({
    access_token: sensitive(z.string(), 'secret').meta({
      examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'],
    }),
    token_type: z.literal('Bearer'),
    expires_in: z.number().meta({ examples: [3600] }),
    refresh_token: sensitive(z.string(), 'secret')
      .optional()
      .meta({ examples: ['cmVmcmVzaC10b2tlbg'] }),
    scope: exampleText('reports.read'),
  })
  .meta({ id: 'OAuthToken', description: 'Token response of RFC 6749, 5.1.' });

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
  request: { body: Form, form: true, repeatable: ['resource'], clientInBody: true },
  response: { status: 200, body: OAuthToken, secret: true },
  identifies: ['client_id', 'username'],
  errors: [
    'CREDENTIALS_MISSING',
    'CREDENTIALS_INVALID',
    'CREDENTIALS_AMBIGUOUS',
    'TOKEN_INVALID',
    'QUERY_REPEATED',
    'GRANT_INVALID',
    'GRANT_TYPE_UNSUPPORTED',
    'GRANT_TYPE_NOT_ALLOWED',
    'SCOPE_EXCEEDED',
    'TARGET_INVALID',
    'TOO_MANY_ATTEMPTS',
    'TOO_BUSY',
    'TOKEN_TOO_LONG',
  ],
  errorFormat: 'oauth',
  openapiExamples: {
    body: { grant_type: 'client_credentials', client_id: 'billing-service', client_secret: 'only-for-this-machine' },
  },

  async handle({ body }, context) {
    const token = await issueGrant(context, parseGrantRequest(body), { clientsRenew: false });
    return {
      access_token: token.accessToken,
      token_type: token.tokenType,
      expires_in: context.issuer.secondsLeft(token),
      ...(token.refreshToken === undefined ? {} : { refresh_token: token.refreshToken }),
      scope: token.scope.join(' '),
    };
  },
});

function parseGrantRequest(raw: z.output<typeof Form>): GrantRequest {
  const form = withoutEmptyParameters(raw);
  if (form.grant_type === undefined) throw fieldError('FIELD_MISSING', 'grant_type', 'grant_type is required.');
  const grantType = grantTypes.find((name) => name === form.grant_type);
  if (!grantType) throw apiError('GRANT_TYPE_UNSUPPORTED');
  return {
    grantType,
    clientId: form.client_id,
    clientSecret: form.client_secret,
    userName: form.username,
    password: form.password,
    refreshToken: form.refresh_token,
    resources: form.resource?.length ? [form.resource].flat() : undefined,
    scope: form.scope === undefined || form.scope.trim() === '' ? undefined : form.scope.trim().split(/ +/),
  };
}
