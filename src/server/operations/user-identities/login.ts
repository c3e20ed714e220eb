import * as z from 'zod';
import { fieldError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { CallerAddress, LoginPassword, Token } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import type { BasicCredentials } from '../../identity/credentials.ts';
import { loginWithPassword } from '../../identity/login.ts';
import { defineOperation } from '../define.ts';

const device = z.string().max(200, 'must not be longer than 200 characters').optional();

const Body = z
  .strictObject({
    userName: z.string().max(254, 'must not be longer than 254 characters').optional(),
    password: LoginPassword.optional(),
    deviceTokenId: sensitive(device, 'one-time'),
    deviceId: device,
    deviceVersion: z.enum(['V1', 'V2']).optional(),
  })
  .meta({ id: 'LoginInput' });

export default defineOperation({
  id: 'user-identities.login',
  title: 'Login user',
  description:
    "Logs a user in by its password; any login identifier of the user works as name. The pair comes as Authorization: Basic, where the word Basic may be missing, and ?clientId= names the client; or it comes in the body beside the client's own token or key. A refresh token is bound to the device that deviceTokenId stands for, where that is one of the user. Ten failures under one name from one source within 15 minutes delay further attempts from there; after 100 from all sources only sources and devices that the user is known to come from are served.",
  method: 'POST',
  path: '/user-identities/login',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 429, 500],
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
  identifies: ['authorization', 'userName'],
  errors: ['CREDENTIALS_INVALID', 'TOO_MANY_ATTEMPTS', 'TOO_BUSY'],
  openapiExamples: { body: { userName: 'alice', password: 'correct horse battery staple' } },

  async handle({ query, body }, { caller, credentials: presented, ...context }) {
    const remember = query['remember-me'] ?? false;
    const pair = presented().userBasicAuth ?? readPair(body);
    const deviceTokenId = body?.deviceTokenId;
    return loginWithPassword(context, pair, caller.client, { remember, renewable: remember, deviceTokenId });
  },
});

function readPair(body: z.output<typeof Body> | undefined): BasicCredentials {
  if (body?.userName === undefined || body.password === undefined)
    throw fieldError(
      'FIELD_MISSING',
      ['userName', 'password'],
      'userName and password are required where Authorization does not hold them.',
    );
  return { name: body.userName, secret: body.password };
}
