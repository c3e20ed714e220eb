import * as z from 'zod';
import { IamError } from '../../../contract/errors.ts';
import { grantTypes } from '../../../contract/grant-types.ts';
import { ClientId, ScopeName } from '../../../contract/schemas/client.ts';
import { listUpTo, textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { LoginPassword } from '../../../contract/schemas/user.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { issueGrant } from '../../auth/grants.ts';
import { createAuthenticationError } from '../../tokens/authentication-error.ts';
import { defineOperation } from '../define.ts';

const text = textUpTo(1000);

export default defineOperation({
  id: 'generate-token.create',
  title: 'Generate an access token and a refresh token',
  description:
    'Issues tokens for three grant types, if the client is registered for them. The response always contains a refresh token.',
  method: 'POST',
  path: '/generate-token',
  auth: 'client-id',
  roles: 'none',
  renewsSession: true,
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 422, 429, 500],
  request: {
    query: { clientId: ClientId.optional().describe('Id of the client, if no header and no field contains it') },
    body: z
      .strictObject({
        grantType: z.enum(grantTypes),
        clientId: ClientId.optional(),
        clientSecret: sensitive(text, 'secret').optional(),
        userName: text.optional(),
        password: LoginPassword.optional(),
        refreshToken: sensitive(text, 'secret').optional(),
        scope: listUpTo(100, ScopeName).optional(),
      })
      .meta({ id: 'GrantInput' }),
    clientInBody: true,
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['clientId', 'userName'],
  errors: [
    'CREDENTIALS_MISSING',
    'CREDENTIALS_INVALID',
    'CREDENTIALS_AMBIGUOUS',
    'TOKEN_INVALID',
    'GRANT_TYPE_NOT_ALLOWED',
    'SCOPE_EXCEEDED',
    'TOO_MANY_ATTEMPTS',
    'TOO_BUSY',
    'TOKEN_TOO_LONG',
  ],
  openapiExamples: {
    body: { grantType: 'client_credentials', clientId: 'billing-service', clientSecret: 'only-for-this-machine' },
  },

  async handle({ body }, context) {
    const granted = await issueGrant(context, body, { clientsRenew: true }).catch((error: unknown) => {
      // An invalid grant (RFC 6749, 5.2) is a 401 everywhere except on the OAuth token endpoint.
      throw error instanceof IamError && error.code === 'GRANT_INVALID'
        ? createAuthenticationError('CREDENTIALS_INVALID')
        : error;
    });
    return granted.token;
  },
});
