import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { CallerAddress } from '../../../contract/schemas/otp.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { loginWithOneTimeToken } from '../../auth/one-time-token-login.ts';
import { readUserContent } from '../../tokens/content.ts';
import { defineOperation } from '../define.ts';

const text = textUpTo(200).optional();

const Body = z
  .strictObject({
    deviceTokenId: sensitive(text, 'one-time').meta({
      description: 'Device of the user to bind the session to; an unknown value is ignored',
      examples: ['ZGV2aWNlLXRva2Vu'],
    }),
    deviceId: text.meta({ examples: ['pixel-of-alice'] }),
    deviceVersion: z.enum(['V1', 'V2']).optional(),
  })
  .meta({ id: 'AuthenticateByParamInput' });

export default defineOperation({
  id: 'user-identities.authenticate-by-param',
  title: 'Log in with the value of generate-param',
  description:
    'Exchanges the value of generate-param, once, for a separate session with the calling client. The new session has the authentication level of the original session and does not outlive it. No refresh token is issued. The original session must be active, and the user must not be locked or removed. If a target client was specified, only that client can exchange the value. Deprecated: change-app does this in one step.',
  method: 'POST',
  path: '/user-identities/auth-legacy-by-param',
  auth: 'client-id',
  roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 500],
  deprecated: true,
  request: {
    query: { clientId: ClientId.optional().describe('Id of the calling client') },
    headers: {
      param: sensitive(
        z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters'),
        'one-time',
      ).meta({ description: 'Value from generate-param', examples: ['cGFyYW1ldGVy'] }),
      ip: CallerAddress,
    },
    body: Body,
  },
  response: { status: 200, body: Token, secret: true },
  identifies: [],
  errors: ['CREDENTIALS_INVALID', 'TOKEN_TOO_LONG'],

  async handle({ headers, body }, context) {
    const { client } = context.caller;
    const exchange = { param: headers.param, deviceTokenId: body.deviceTokenId, client };
    const content = await context.store.transaction(async (tx) =>
      readUserContent(context, { ...(await loginWithOneTimeToken(tx, exchange, context)), client }),
    );
    return context.issuer.issue(content);
  },
});
