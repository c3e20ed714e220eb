/** Sends requests as a signed-in user: user, session and token are stored directly, without a login. */
import type { IamClient } from '../../../src/client/index.ts';
import type { AuthenticationLevel } from '../../../src/server/directory/authentication-levels.ts';
import { epochSeconds } from '../../../src/server/lib/clock.ts';
import type { Session, User } from '../../../src/server/store/tables.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { issueForUser } from '../tokens/issue-token.ts';

export interface TestUser {
  /** Created if missing; can be set so that a test can name the user. */
  readonly userId?: string;
  /** The roles that a group grants to the user. */
  readonly roles?: readonly string[];
  /** Created if it does not exist. */
  readonly businessId?: string;
  readonly level?: AuthenticationLevel;
  readonly lead?: boolean;
  /** The client of the session; by default the bootstrap application client. */
  readonly clientId?: string;
}

/** Creates a client that sends the token of a new user. */
export async function asUser(server: TestServer, user: TestUser = {}): Promise<IamClient> {
  return server.as({ token: await userToken(server, user) });
}

/** Issues an access token of a new user in a new session. */
export async function userToken(server: TestServer, user: TestUser = {}): Promise<string> {
  const { store } = server.appContext;
  const row = await insertUser(server, user);
  const client = await store.clients.get(user.clientId ?? appClientId);
  if (!client) throw new Error(`unknown client ${user.clientId}`);
  const session = await insertSession(server, row.userId, client.clientId, user.level ?? 'AUTH-BASIC');
  return (await issueForUser(server.appContext, { user: row, session, client })).accessToken;
}

async function insertUser({ appContext: { store, ids, clock } }: TestServer, user: TestUser): Promise<User> {
  const { userId = ids.newId(), roles = [], businessId } = user;
  const createdAt = clock.now().toISOString();
  const groupId = ids.newId();
  const row: User = {
    userId,
    userName: `name-of-${userId}`,
    emailVerified: false,
    mobileVerified: false,
    ...(businessId === undefined ? {} : { businessId }),
    lead: user.lead ?? false,
    locked: false,
    identities: [],
    createdAt,
  };
  await store.transaction(async (tx) => {
    if (businessId !== undefined && !(await tx.businesses.get(businessId)))
      await tx.businesses.insert({ businessId, businessName: `Business ${businessId}` });
    await tx.users.insert(row);
    if (roles.length === 0) return;
    await tx.groups.insert({
      groupId,
      groupName: `roles-of-${userId}`,
      roles: [...roles],
      dependencies: [],
      createdAt,
    });
    await tx.memberships.insert({ groupId, kind: 'user', memberId: userId });
  });
  return row;
}

async function insertSession(
  { appContext: { store, clock, random } }: TestServer,
  userId: string,
  clientId: string,
  level: AuthenticationLevel,
): Promise<Session> {
  const startedAt = epochSeconds(clock);
  const session: Session = {
    sessionId: random.uuid(),
    clientId,
    userId,
    level,
    ...(level === 'AUTH-MFA' ? { mfaAt: startedAt } : {}),
    smart: false,
    remember: false,
    startedAt,
    endsAt: startedAt + 12 * 3600,
  };
  await store.transaction((tx) => tx.sessions.insert(session));
  return session;
}
