import * as z from 'zod';
import { fieldError } from '../../../contract/errors.ts';
import { LoginQuery } from '../../../contract/schemas/client.ts';
import { CallerAddress } from '../../../contract/schemas/otp.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { LoginPassword } from '../../../contract/schemas/user.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import type { BasicCredentials } from '../../auth/credentials.ts';
import { loginWithPassword } from '../../auth/login.ts';
import { defineOperation } from '../define.ts';

const device = textUpTo(200).optional();

const Body = z
  .strictObject({
    userName: textUpTo(254)
      .optional()
      .meta({ examples: ['alice'] }),
    password: LoginPassword.optional(),
    deviceTokenId: sensitive(device, 'one-time'),
    deviceId: device,
    deviceVersion: z.enum(['V1', 'V2']).optional(),
  })
  .meta({ id: 'LoginInput' });

export default defineOperation({
  id: 'user-identities.login',
  title: 'Log in a user',
  description:
    'Logs in a user with a password. userName accepts any login identifier of the user. Send the credentials as Authorization: Basic (the word Basic is optional) with ?clientId=, or in the body together with the token or API key of the client. If deviceTokenId identifies a device of the user, the refresh token is bound to it. Ten failures for one name from one source within 15 minutes throttle further attempts from that source. After 100 failures from all sources, only known sources and devices of the user are admitted.',
  method: 'POST',
  path: '/user-identities/login',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 429, 500],
  request: {
    query: LoginQuery,
    headers: { ip: CallerAddress },
    body: Body,
    userBasicAuth: true,
  },
  response: { status: 201, body: Token, secret: true },
  customCommand: 'login',
  identifies: ['authorization', 'userName'],
  errors: ['CREDENTIALS_INVALID', 'TOO_MANY_ATTEMPTS', 'TOO_BUSY', 'TOKEN_TOO_LONG'],
  openapiExamples: { body: { userName: 'alice', password: 'correct horse battery staple' } },

  async handle({ query, body }, context) {
    const remember = query['remember-me'] ?? false;
    const pair = context.credentials().userBasicAuth ?? readPair(body);
    const deviceTokenId = body?.deviceTokenId;
    return loginWithPassword(context, pair, context.caller.client, { remember, renewable: remember, deviceTokenId });
  },
});

function readPair(body: z.output<typeof Body> | undefined): BasicCredentials {
  if (body?.userName === undefined || body.password === undefined)
    throw fieldError(
      'FIELD_MISSING',
      ['userName', 'password'],
      'userName and password are required unless Authorization contains them.',
    );
  return { name: body.userName, secret: body.password };
}
