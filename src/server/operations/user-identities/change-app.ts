import * as z from 'zod';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { Token } from '../../../contract/schemas.ts';
import { createAuthenticationError } from '../../identity/authenticate.ts';
import { revalidateUserCaller } from '../../identity/revalidate-caller.ts';
import { issueSessionToken } from '../../identity/session-tokens.ts';
import { rotateSessionRefreshToken, transferSession } from '../../identity/sessions.ts';
import { findNarrowedScope, requireTargetClient } from '../../identity/target-client.ts';
import { defineOperation } from '../define.ts';

const text = z.string().max(200, 'must not be longer than 200 characters').optional();

const Body = z
  .strictObject({ deviceId: text, ip: text })
  .meta({ id: 'ChangeAppInput', description: 'Where the user is. Nothing depends on it.' });

export default defineOperation({
  id: 'user-identities.change-app',
  title: 'Generates token when user navigates between applications',
  description:
    'A token for the same user, session and level, with client_id, app_id, party and scope of the target client. A token that was narrowed stays so: of the scope of the target it has what it had before. The session and its refresh token belong to the target client from then on; where there is one, the answer has a new one. Access tokens that the former client has stay good until they end.',
  method: 'POST',
  path: '/user-identities/me/change-app',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 403, 404, 500],
  request: { query: { targetClientId: ClientId.describe('The first-party client to go on with') }, body: Body },
  response: { status: 200, body: Token, secret: true },
  errors: ['USER_MISSING', 'CLIENT_NOT_FOUND', 'TARGET_NOT_ALLOWED'],

  async handle({ query }, { store, caller, issuer, ...tools }) {
    const { target, session, refreshToken } = await store.transaction(async (tx) => {
      const standing = await revalidateUserCaller(tx, caller, tools.clock);
      const target = await requireTargetClient(tx, query.targetClientId);
      const scope = findNarrowedScope(caller, standing.session);
      const to = { clientId: target.clientId, ...(scope === undefined ? {} : { scope }) };
      const session = await transferSession(tx, standing.session, to);
      return { target, session, refreshToken: await rotateSessionRefreshToken(tx, session, tools) };
    });
    const token = await issueSessionToken({ store, issuer }, session, target, { refreshToken });
    if (!token) throw createAuthenticationError('TOKEN_INVALID');
    return token;
  },
});
