import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { findNarrowedScope, requireTargetClient } from '../../auth/target-client.ts';
import { hasWholeToken } from '../../directory/principal.ts';
import { rotateSessionRefreshToken } from '../../sessions/refresh-tokens.ts';
import { revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { deriveSession, type SessionDeps, transferSession } from '../../sessions/sessions.ts';
import type { Transaction } from '../../store/store.ts';
import type { Client, Session } from '../../store/tables.ts';
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
    'Issues a token for the same user, session and level, with client_id, app_id, party and scope of the target client. A token with reduced scope keeps the reduction: its scope is the intersection with the scope of the target. The session and its refresh token move to the target client; if there is a refresh token, the response contains a new one. With a token of reduced scope, or of a login with a browser, they stay where they are, and the token belongs to a new session without refresh token that ends no later. Existing access tokens of the previous client stay valid until they expire.',
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
      const { user, session } = await revalidateUserCaller(tx, caller, context.clock);
      const target = await requireTargetClient(tx, query.targetClientId);
      const move = { session, target, scope: findNarrowedScope(caller, session) };
      // A login with a browser is renewed by its application alone, with its secret (RFC 6749, 6).
      if (session.openid === undefined && hasWholeToken(caller))
        return readUserContent(context, { user, client: target, ...(await moveSession(tx, move, context)) });
      // For a service that the user gave a token of reduced scope: the session of the user stays as it is.
      const derived = {
        client: target,
        scope: move.scope,
        resources: caller.resources,
        reduced: !hasWholeToken(caller),
        remember: session.remember,
        parentSession: session,
      };
      return readUserContent(context, { user, client: target, session: await deriveSession(tx, derived, context) });
    });
    return context.issuer.issue(content);
  },
});

interface Move {
  readonly session: Session;
  readonly target: Client;
  readonly scope: string[] | undefined;
}

async function moveSession(tx: Transaction, { session, target, scope }: Move, deps: SessionDeps) {
  const to = { clientId: target.clientId, ...(scope === undefined ? {} : { scope }) };
  const moved = await transferSession(tx, session, to, deps);
  return { session: moved, refreshToken: await rotateSessionRefreshToken(tx, moved, deps) };
}
