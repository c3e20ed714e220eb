import { Token } from '../../../contract/schemas.ts';
import { issueCallerToken, revalidateUserCaller } from '../../identity/revalidate-caller.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.renovate-token',
  title: 'User renovate-token',
  description:
    "A fresh access token for one that is still valid, in the same session and of the same scope. There is no refresh token, and the session's end stays where it is. The body is not looked at.",
  method: 'POST',
  path: '/user-identities/me/renovate-token',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 401, 403, 500],
  request: { bodyIgnored: true },
  response: { status: 201, body: Token, secret: true },
  errors: ['USER_MISSING'],

  async handle(_input, { caller, clock, store, issuer }) {
    const { session } = await revalidateUserCaller(store, caller, clock);
    return issueCallerToken({ store, issuer }, caller, { session });
  },
});
