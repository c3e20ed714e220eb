import * as z from 'zod';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { CallerAddress, Token } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { redeemParam } from '../../identity/param-login.ts';
import { defineOperation } from '../define.ts';

const text = z.string().max(200, 'must not be longer than 200 characters').optional();

const Body = z
  .strictObject({
    deviceTokenId: sensitive(text, 'one-time').describe(
      'Binds the session to this device of the user; one that is not known does not matter',
    ),
    deviceId: text,
    deviceVersion: z.enum(['V1', 'V2']).optional(),
  })
  .meta({ id: 'AuthenticateByParamInput' });

export default defineOperation({
  id: 'user-identities.authenticate-by-param',
  title: 'Authenticate user by param',
  description:
    'Redeems the value of generate-param, once: a session of its own with the calling client, of the level of the one that it comes from and ending no later. There is no refresh token. The session that it comes from must still be in force, and the user neither locked nor removed; only the client that was named may redeem it, where one was. Deprecated: change-app does it in one step.',
  method: 'POST',
  path: '/user-identities/auth-legacy-by-param',
  auth: 'client-id',
  roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 500],
  deprecated: true,
  request: {
    query: { clientId: ClientId.optional().describe('The calling client') },
    headers: {
      param: sensitive(
        z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters'),
        'one-time',
      ).describe('The value of generate-param'),
      ip: CallerAddress,
    },
    body: Body,
  },
  response: { status: 200, body: Token, secret: true },
  identifies: [],
  errors: ['CREDENTIALS_INVALID'],

  async handle({ headers, body }, { store, caller, issuer, ...tools }) {
    const { client } = caller;
    const shown = { param: headers.param, deviceTokenId: body.deviceTokenId, clientId: client.clientId };
    const { user, session } = await store.transaction((tx) => redeemParam(tx, shown, tools));
    return issuer.issueForUser(user, session, client);
  },
});
