import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { findNarrowedScope, requireTargetClient } from '../../auth/target-client.ts';
import { computeLevel } from '../../directory/authentication-levels.ts';
import { epochSeconds } from '../../lib/clock.ts';
import { rotateSessionRefreshToken } from '../../sessions/refresh-tokens.ts';
import { type ActiveUserSession, hasScopeOfSession, revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { type SessionDeps, startSession, transferSession } from '../../sessions/sessions.ts';
import type { Transaction } from '../../store/store.ts';
import type { Client } from '../../store/tables.ts';
import { readUserContent } from '../../tokens/content.ts';
import { defineOperation } from '../define.ts';

const text = textUpTo(200).optional();

const Body = z
  .strictObject({ deviceId: text.meta({ examples: ['pixel-of-alice'] }), ip: text.meta({ examples: ['192.0.2.7'] }) })
  .meta({ id: 'ChangeAppInput', description: 'Device and address of the user; not used.' });

export default defineOperation({
  id: 'user-identities.change-app',
  title: 'Switch to another application',
  description:
    'Issues a token for the same user, session and level, with client_id, app_id, party and scope of the target client. A token with reduced scope keeps the reduction: its scope is the intersection with the scope of the target. The session and its refresh token move to the target client; if there is a refresh token, the response contains a new one. With a token of reduced scope they stay where they are, and the token belongs to a new session without refresh token that ends no later. Existing access tokens of the previous client stay valid until they expire.',
  method: 'POST',
  path: '/user-identities/me/change-app',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  renewsSession: true,
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 403, 404, 500],
  request: {
    query: { targetClientId: ClientId.meta({ description: 'First-party client to switch to', examples: ['portal'] }) },
    body: Body,
  },
  response: { status: 200, body: Token, secret: true },
  errors: ['USER_MISSING', 'CLIENT_NOT_FOUND', 'TARGET_NOT_ALLOWED', 'TOKEN_TOO_LONG'],

  async handle({ query }, context) {
    const { store, caller } = context;
    const content = await store.transaction(async (tx) => {
      const current = await revalidateUserCaller(tx, caller, context.clock);
      const target = await requireTargetClient(tx, query.targetClientId);
      const start = { ...current, target, scope: findNarrowedScope(caller, current.session) };
      const isWhole = hasScopeOfSession(caller, current.session);
      const started = await (isWhole ? moveSession(tx, start, context) : deriveSession(tx, start, context));
      return readUserContent(context, { user: current.user, client: target, ...started });
    });
    return context.issuer.issue(content);
  },
});

interface Start extends ActiveUserSession {
  readonly target: Client;
  readonly scope: string[] | undefined;
}

async function moveSession(tx: Transaction, { session, target, scope }: Start, deps: SessionDeps) {
  const to = { clientId: target.clientId, ...(scope === undefined ? {} : { scope }) };
  const moved = await transferSession(tx, session, to, deps);
  return { session: moved, refreshToken: await rotateSessionRefreshToken(tx, moved, deps) };
}

/** For a service that the user gave a token of reduced scope: the session of the user stays as it is. */
function deriveSession(tx: Transaction, { user, session, target, scope }: Start, deps: SessionDeps) {
  return startSession(
    tx,
    {
      clientId: target.clientId,
      userId: user.userId,
      level: computeLevel(session, epochSeconds(deps.clock)),
      remember: session.remember,
      renewable: false,
      scope,
      logon: session.logon,
      parentSession: session,
    },
    deps,
  );
}
