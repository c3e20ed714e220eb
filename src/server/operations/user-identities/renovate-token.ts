import { Token } from '../../../contract/schemas/token.ts';
import { readCallerContent, revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.renovate-token',
  title: 'Renew a valid access token',
  description:
    'Issues a new access token for one that is still valid, in the same session and with the same scope. No refresh token is issued, and the expiry of the session does not change. The body is ignored.',
  method: 'POST',
  path: '/user-identities/me/renovate-token',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 401, 403, 500],
  request: { bodyIgnored: true },
  response: { status: 201, body: Token, secret: true },
  errors: ['USER_MISSING', 'TOKEN_TOO_LONG'],

  async handle(_input, { caller, clock, store, issuer }) {
    const current = await revalidateUserCaller(store, caller, clock);
    return issuer.issue(await readCallerContent({ store, issuer }, caller, current));
  },
});
