import * as z from 'zod';
import { fieldError } from '../../../contract/errors.ts';
import { LoginQuery } from '../../../contract/schemas/client.ts';
import { CallerAddress } from '../../../contract/schemas/otp.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { LoginPassword } from '../../../contract/schemas/user.ts';
import type { BasicCredentials } from '../../auth/credentials.ts';
import { loginWithLogon } from '../../legacy/mainframe-logons.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    logon: textUpTo(254)
      .optional()
      .meta({ examples: ['ALICE01'] }),
    password: LoginPassword.optional(),
    deviceId: textUpTo(200)
      .optional()
      .meta({ examples: ['pixel-of-alice'] }),
  })
  .meta({ id: 'LegacyLoginInput' });

export default defineOperation({
  id: 'user-identities.login-legacy',
  title: 'Log in with a mainframe logon',
  description:
    'Logs in with a mainframe logon. The mainframe verifies the password. If the logon belongs to a user, the token is issued for the user and also contains the logon; otherwise it is issued for the logon and grants no roles of a user. Send the credentials as Authorization: Basic (the word Basic is optional) or in the body. Lower-case letters in the logon count as upper case. Failures are limited per logon, with the limits of the user login.',
  method: 'POST',
  path: '/user-identities/login-legacy',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 429, 500, 503],
  request: {
    query: LoginQuery,
    headers: { ip: CallerAddress },
    body: Body,
    userBasicAuth: true,
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['authorization', 'logon'],
  errors: ['CREDENTIALS_INVALID', 'TOO_MANY_ATTEMPTS', 'TOO_BUSY', 'MAINFRAME_UNAVAILABLE', 'TOKEN_TOO_LONG'],
  openapiExamples: { body: { logon: 'ALICE01', password: 'secret01' } },

  async handle({ query, body }, context) {
    const remember = query['remember-me'] ?? false;
    const pair = context.credentials().userBasicAuth ?? readPair(body);
    return loginWithLogon(context, pair, context.caller.client, { remember, renewable: remember });
  },
});

function readPair(body: z.output<typeof Body> | undefined): BasicCredentials {
  if (body?.logon === undefined || body.password === undefined)
    throw fieldError(
      'FIELD_MISSING',
      ['logon', 'password'],
      'logon and password are required unless Authorization contains them.',
    );
  return { name: body.logon, secret: body.password };
}
