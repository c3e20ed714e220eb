import * as z from 'zod';
import { fieldError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { CallerAddress, LoginPassword, Token } from '../../../contract/schemas.ts';
import type { BasicCredentials } from '../../identity/credentials.ts';
import { loginWithLogon } from '../../identity/logons.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    logon: z.string().max(254, 'must not be longer than 254 characters').optional(),
    password: LoginPassword.optional(),
    deviceId: z.string().max(200, 'must not be longer than 200 characters').optional(),
  })
  .meta({ id: 'LegacyLoginInput' });

export default defineOperation({
  id: 'user-identities.login-legacy',
  title: 'Login legacy user',
  description:
    "Logs in with a mainframe logon; the mainframe checks the password. Where the logon belongs to a user, the token is the user's, with the logon besides; else it is the logon's own and gives no role of a user. The pair comes as Authorization: Basic, where the word Basic may be missing, or in the body. Lower case in the logon counts as upper case. Failures are limited for each logon as those of the other login are for each name.",
  method: 'POST',
  path: '/user-identities/login-legacy',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 429, 500, 503],
  request: {
    query: {
      clientId: ClientId.optional().describe('The calling client'),
      'remember-me': z.boolean().optional().describe('Gives a refresh token and shorter access tokens'),
    },
    headers: { ip: CallerAddress },
    body: Body,
    userBasicAuth: true,
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['authorization', 'logon'],
  errors: ['CREDENTIALS_INVALID', 'TOO_MANY_ATTEMPTS', 'TOO_BUSY', 'MAINFRAME_UNAVAILABLE'],
  openapiExamples: { body: { logon: 'ALICE01', password: 'secret01' } },

  async handle({ query, body }, { caller, credentials: presented, ...context }) {
    const remember = query['remember-me'] ?? false;
    const pair = presented().userBasicAuth ?? readPair(body);
    return loginWithLogon(context, pair, caller.client, { remember, renewable: remember });
  },
});

function readPair(body: z.output<typeof Body> | undefined): BasicCredentials {
  if (body?.logon === undefined || body.password === undefined)
    throw fieldError(
      'FIELD_MISSING',
      ['logon', 'password'],
      'logon and password are required where Authorization does not hold them.',
    );
  return { name: body.logon, secret: body.password };
}
