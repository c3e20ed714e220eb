/** A server with users, businesses and services, and tests shared by all operations on memberships. */
import { expect } from 'vitest';
import { ClientError, type IamClient } from '../../../../src/client/index.ts';
import type { Membership, User } from '../../../../src/server/store/tables.ts';
import { startServer, type TestClient, type TestServer } from '../../../harness.ts';

const passwordHash = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$bm90IGEgcmVhbCBoYXNo';

/**
 * Users p1 to p3 without a business, a1 and a2 of business a, b1 of business b; services without an owner, of a, of b
 * and of p1.
 */
export function startWithMembers(): Promise<TestServer> {
  return startServer({
    seed: {
      businesses: ['a', 'b'].map((businessId) => ({ businessId, businessName: `Business ${businessId}` })),
      users: [
        ...['p1', 'p2', 'p3'].map((userId) => ({ userId, passwordHash })),
        ...['a1', 'a2'].map((userId) => ({ userId, passwordHash, businessId: 'a' })),
        { userId: 'b1', passwordHash, businessId: 'b' },
        ...['constructor', '__proto__'].map((userId) => ({ userId, passwordHash })),
      ],
      clients: [
        { clientId: 'of-none', clientSecret: 'x', serviceAccountId: 'service-of-none' },
        { clientId: 'of-a', clientSecret: 'x', serviceAccountId: 'service-of-a', businessId: 'a' },
        { clientId: 'of-b', clientSecret: 'x', serviceAccountId: 'service-of-b', businessId: 'b' },
        { clientId: 'of-p1', clientSecret: 'x', serviceAccountId: 'service-of-p1', userId: 'p1' },
      ],
      groups: [
        { groupName: 'plain' },
        { groupName: 'deployers', roles: ['DEPLOY'] },
        { groupName: 'leads', roles: ['APPROVE'], dependencies: [{ groupName: 'deployers' }] },
        { groupName: 'maintainers', roles: ['IAM_ADMIN_MAINTENANCE'] },
      ],
    },
  });
}

export async function groupIdOf(server: TestServer, groupName: string): Promise<string> {
  const group = await server.appContext.store.groups.getBy('groupName', groupName);
  return group?.groupId ?? '';
}

/** Inserts members into a group without access checks. */
export async function insertMembers(
  server: TestServer,
  groupName: string,
  members: readonly Omit<Membership, 'groupId'>[],
): Promise<void> {
  const groupId = await groupIdOf(server, groupName);
  await server.appContext.store.transaction(async (tx) => {
    for (const member of members) await tx.memberships.insert({ ...member, groupId });
  });
}

/** Inserts users who could sign in. */
export async function makeUsers(server: TestServer, userIds: readonly string[], more: Partial<User> = {}) {
  const common = { passwordHash, emailVerified: false, mobileVerified: false, lead: false, locked: false };
  await server.appContext.store.transaction(async (tx) => {
    for (const userId of userIds)
      await tx.users.insert({
        ...common,
        identities: [],
        createdAt: '2026-01-01T00:00:00.000Z',
        ...more,
        userId,
        userName: userId,
      });
  });
}

/** Locks the bootstrap administrator, which then does not count as an administrator. */
export async function lockFirstAdministrator(server: TestServer): Promise<void> {
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.getBy('bootstrap', 'admin');
    if (user) await tx.users.replace({ ...user, locked: true });
  });
}

export async function catchClientError(request: Promise<unknown>): Promise<ClientError> {
  const outcome = await request.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (outcome instanceof ClientError) return outcome;
  throw new Error('expected the request to fail, but it succeeded', { cause: outcome });
}

/** Expects that a request is rejected with this error and leaves the store unchanged. */
export async function expectRejection(
  server: TestServer,
  request: () => Promise<unknown>,
  expected: { status: number; code: string },
): Promise<ClientError> {
  const before = await server.dump();
  const failure = await catchClientError(request());
  expect({ status: failure.status, code: failure.code }).toEqual(expected);
  expect(await server.dump()).toEqual(before);
  return failure;
}

/** Returns ids of several digits in ascending order. */
export function createIds(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(5, '0')}`);
}

/** Runs requests that each remove one of the last administrators and expects that exactly one of them fails. */
export async function expectOneRemaining(
  server: TestServer,
  requests: readonly (() => Promise<unknown>)[],
  status: number,
) {
  const outcomes = await Promise.allSettled(requests.map((request) => request()));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(failures).toEqual([expect.objectContaining({ status, code: 'LAST_ADMINISTRATOR' })]);
  const groupId = await groupIdOf(server, 'maintainers');
  expect(await server.appContext.store.memberships.find('group', groupId)).toHaveLength(1);
}

/** Creates an authenticated client of business a with exactly these roles. */
export function callerWith(
  server: TestServer,
  roles: readonly string[],
  client: TestClient = { businessId: 'a' },
): Promise<IamClient> {
  const party = roles.includes('CLI-1STPARTY') ? '1STPARTY' : '3RDPARTY';
  const authorities = roles.filter((role) => !role.startsWith('CLI-'));
  return server.withAuthorities(authorities, { party, ...client });
}
