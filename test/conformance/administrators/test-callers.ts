/** Callers with chosen roles, and tokens of users at any authentication level. */
import type { AuthenticationLevel } from '../../../src/server/directory/authentication-levels.ts';
import type { Principal } from '../../../src/server/directory/principal.ts';
import { epochSeconds } from '../../../src/server/lib/clock.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { issueForUser } from '../../server/tokens/issue-token.ts';

/** Issues a token at an authentication level without the login steps. */
export async function issueToken(
  { appContext }: TestServer,
  userId: string,
  level: AuthenticationLevel,
): Promise<string> {
  const { store, clock, random, issuer } = appContext;
  const [user, client] = [await store.users.get(userId), await store.clients.get(appClientId)];
  if (!user || !client) throw new Error(`user or client not found: ${userId}`);
  const startedAt = epochSeconds(clock);
  const session = {
    ...{ sessionId: random.uuid(), clientId: appClientId, userId, level, smart: false, remember: false },
    ...(level === 'AUTH-MFA' ? { mfaAt: startedAt } : {}),
    ...{ startedAt, endsAt: startedAt + 3600 },
  };
  await store.transaction((tx) => tx.sessions.insert(session));
  return (await issueForUser({ store, issuer }, { user, session, client })).accessToken;
}

/** A client with exactly these roles, for code that gets the caller as an argument. */
export function callerWith(roles: readonly string[]): Principal {
  const client = { clientId: 'any' } as Principal['client'];
  return { authMethod: 'basic', client, subject: 'any', roles: new Set(roles), scope: new Set() };
}
