/** Callers of operations on users, and their rejection. */
import { expect } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import type { AuthenticationLevel } from '../../../../src/server/directory/authentication-levels.ts';
import { startSession } from '../../../../src/server/sessions/sessions.ts';
import type { User } from '../../../../src/server/store/tables.ts';
import { appClientId, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { issueForUser } from '../../tokens/issue-token.ts';
import { asUser } from '../user-token.ts';
import { alice, passwordHash, startWith } from './login-fixtures.ts';

const maintenance = 'IAM_ADMIN_MAINTENANCE';

/** Sends requests as a stored user who is signed in with this level. */
export async function createSession(
  server: TestServer,
  userId: string,
  level: AuthenticationLevel = 'AUTH-MFA',
): Promise<IamClient> {
  const { store } = server.appContext;
  const user = await store.users.get(userId);
  const client = await store.clients.get(appClientId);
  if (!user || !client) throw new Error(`unknown user ${userId}`);
  const start = { client, userId, level, remember: false, renewable: false };
  const { session } = await store.transaction((tx) => startSession(tx, start, server.appContext));
  return server.as({ token: (await issueForUser(server.appContext, { user, session, client })).accessToken });
}

/** Sends requests as a user with IAM_ADMIN_MAINTENANCE, by default without MFA. */
export function asMaintainer(server: TestServer, level: AuthenticationLevel = 'AUTH-BASIC'): Promise<IamClient> {
  return asUser(server, { roles: [maintenance], level });
}

/** Expects that a change to a user is rejected and leaves the store unchanged. */
export async function expectRejected(
  server: TestServer,
  request: () => Promise<unknown>,
  failure: { status: number; code: string },
): Promise<void> {
  const before = await server.dump();
  await expect(request()).rejects.toMatchObject(failure);
  expect(await server.dump()).toEqual(before);
}

/** A server with Alice and Carol as the administrators who can sign in; the bootstrap administrator is removed. */
export async function startWithAdministrators(options: TestServerOptions = {}): Promise<TestServer> {
  const carol = { userId: 'carol', userName: 'carol', passwordHash };
  const groups = [{ groupName: 'iam-administrators', users: [alice.userId, 'carol'] }];
  const server = await startWith([carol], { ...options, seed: { groups, ...options.seed } });
  await server.admin.userIdentities.remove({ params: { id: (await firstAdministrator(server)).userId } });
  return server;
}

/** Returns the bootstrap administrator. */
export async function firstAdministrator(server: TestServer): Promise<User> {
  const user = await server.appContext.store.users.getBy('bootstrap', 'admin');
  if (!user) throw new Error('the bootstrap administrator is missing');
  return user;
}

/** Returns the row of Alice in its current state. */
export async function rowOf(server: TestServer, userId: string = alice.userId): Promise<User> {
  const user = await server.appContext.store.users.get(userId);
  if (!user) throw new Error(`unknown user ${userId}`);
  return user;
}
