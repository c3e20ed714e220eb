/** Who calls the operations on users: administrators, and callers who each lack one thing for it. */
import { expect } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { startSession } from '../../../../src/server/identity/sessions.ts';
import type { AuthenticationLevel } from '../../../../src/server/identity/user-roles.ts';
import { UserRow } from '../../../../src/server/store/rows.ts';
import type { User } from '../../../../src/server/store/tables.ts';
import { appClientId, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { asUser } from '../user-token.ts';
import { alice, passwordHash, startWith } from './login-fixtures.ts';

const maintenance = 'IAM_ADMIN_MAINTENANCE';

/** Calls as a user of the store who is signed in to this level. */
export async function createSession(
  server: TestServer,
  userId: string,
  level: AuthenticationLevel = 'AUTH-MFA',
): Promise<IamClient> {
  const { store, issuer } = server.appContext;
  const user = await store.users.get(userId);
  const client = await store.clients.get(appClientId);
  if (!user || !client) throw new Error(`there is no user ${userId}`);
  const start = { clientId: appClientId, userId, level, remember: false, renewable: false };
  const { session } = await store.transaction((tx) => startSession(tx, start, server.appContext));
  return server.as({ token: (await issuer.issueForUser(user, session, client)).accessToken });
}

/** Calls as a user who maintains the service, without a second proof where nothing else is said. */
export function asMaintainer(server: TestServer, level: AuthenticationLevel = 'AUTH-BASIC'): Promise<IamClient> {
  return asUser(server, { roles: [maintenance], level });
}

/** Callers who each lack one of the roles that changing users takes. */
export async function createUnderprivilegedCallers(server: TestServer): Promise<Record<string, IamClient>> {
  const { accessToken } = await server.as().userIdentities.create({
    query: { clientId: appClientId },
    body: { userName: 'just-made', userEmail: 'just-made@example.com' },
  });
  const thirdParty = await server.makeClient({ party: '3RDPARTY', authorities: ['AUTH-BASIC', maintenance] });
  return {
    'a third party': server.as({ basic: thirdParty }),
    'a client without AUTH-BASIC': await server.withAuthorities([maintenance]),
    'a client that does not maintain': await server.withAuthorities(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN']),
    'a user who proved a contact only': await asUser(server, { roles: [maintenance], level: 'AUTH-IDENTIFIED' }),
    'a user who does not maintain': await asUser(server, {
      roles: ['ADMIN', 'IAM_ADMIN_READ_ONLY'],
      level: 'AUTH-MFA',
    }),
    'a user who proved nothing': server.as({ token: accessToken }),
  };
}

/** Every such caller is refused, and nobody at all as well, and nothing is changed by it. */
export async function expectRolesNeeded(server: TestServer, call: (as: IamClient) => Promise<unknown>): Promise<void> {
  const callers = await createUnderprivilegedCallers(server);
  const before = await server.dump();
  for (const [who, caller] of Object.entries(callers))
    await expect(call(caller), who).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
  await expect(call(server.as()), 'nobody').rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_MISSING' });
  expect(await server.dump()).toEqual(before);
}

/** A change to a user that is refused leaves everything as it was. */
export async function expectRefused(
  server: TestServer,
  call: () => Promise<unknown>,
  failure: { status: number; code: string },
): Promise<void> {
  const before = await server.dump();
  await expect(call()).rejects.toMatchObject(failure);
  expect(await server.dump()).toEqual(before);
}

/** A server with Alice as one of two administrators who can sign in, next to Carol; the one of the first start is gone. */
export async function startWithAdministrators(options: TestServerOptions = {}): Promise<TestServer> {
  const carol = { userId: 'carol', userName: 'carol', passwordHash };
  const groups = [{ groupName: 'iam-administrators', users: [alice.userId, 'carol'] }];
  const server = await startWith([carol], { ...options, seed: { groups, ...options.seed } });
  await server.admin.userIdentities.remove({ params: { id: (await firstAdministrator(server)).userId } });
  return server;
}

/** The administrator that the first start made. */
export async function firstAdministrator(server: TestServer): Promise<User> {
  const user = await server.appContext.store.users.getBy('bootstrap', 'admin');
  if (!user) throw new Error('the first start makes an administrator');
  return user;
}

/** Names of everything that is stored of a user, and of what somebody might try besides. */
export const storedFields = [
  ...Object.keys(UserRow.unwrap().shape),
  'roles',
  'groups',
  'authorities',
  'password',
  'constructor',
  '__proto__',
];

/** The row of Alice as it is now. */
export async function rowOf(server: TestServer, userId: string = alice.userId): Promise<User> {
  const user = await server.appContext.store.users.get(userId);
  if (!user) throw new Error(`there is no user ${userId}`);
  return user;
}
