/**
 * At least one user with a login always administers the service, after every change and with every kind of membership.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasAdministrator, withAdministratorCheck } from '../../../src/server/directory/administrators.ts';
import type { Transaction } from '../../../src/server/store/store.ts';
import { membershipKey, type User } from '../../../src/server/store/tables.ts';
import { rounds } from '../../effort.ts';
import { arbitraryGroupGraph, createStoreFrom, type GroupGraph, naiveHasAdministrator } from './group-arbitraries.ts';

const anyLength = { fitsUser: async () => true };

test('finds an administrator exactly where a naive implementation does', async () => {
  const seen = new Set<boolean>();
  await fc.assert(
    fc.asyncProperty(arbitraryGroupGraph(), async (fixture) => {
      const found = naiveHasAdministrator(fixture);
      seen.add(found);
      expect(await hasAdministrator(await createStoreFrom(fixture), anyLength.fitsUser)).toBe(found);
    }),
    { numRuns: rounds(400) },
  );
  expect(seen.size).toBe(2);
});

const person = (userId: string, more: Partial<User> = {}): User => ({
  userId,
  userName: userId,
  passwordHash: 'hash',
  locked: false,
  lead: false,
  emailVerified: false,
  mobileVerified: false,
  identities: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});
const administrators = {
  groupId: 'g0',
  groupName: 'administrators',
  roles: ['IAM_ADMIN_MAINTENANCE'],
  dependencies: [],
  createdAt: '2026-01-01T00:00:00.000Z',
};
const outer = { ...administrators, groupId: 'g1', groupName: 'outer', roles: [], dependencies: ['g0'] };
const fixture = (more: Partial<GroupGraph>): GroupGraph => ({
  groups: [administrators, outer],
  users: [],
  memberships: [],
  ...more,
});

describe('each kind of membership counts', () => {
  const businessUser = person('u0', { businessId: 'b0' });
  const rows: [string, GroupGraph['memberships'][number], User, boolean][] = [
    ['of the user', { groupId: 'g0', kind: 'user', memberId: 'u0' }, person('u0'), true],
    ['in a group that depends on it', { groupId: 'g1', kind: 'user', memberId: 'u0' }, person('u0'), true],
    ['of the business of the user', { groupId: 'g0', kind: 'business', memberId: 'b0' }, businessUser, true],
    [
      'of the user for its business',
      { groupId: 'g0', kind: 'businessUser', memberId: 'u0', businessId: 'b0' },
      businessUser,
      true,
    ],
    [
      'of the user for another business',
      { groupId: 'g0', kind: 'businessUser', memberId: 'u0', businessId: 'b1' },
      businessUser,
      false,
    ],
    ['of a service', { groupId: 'g0', kind: 'service', memberId: 'u0' }, person('u0'), false],
    ['of a removed user', { groupId: 'g0', kind: 'user', memberId: 'removed' }, person('u0'), false],
    ['of a locked user', { groupId: 'g0', kind: 'user', memberId: 'u0' }, person('u0', { locked: true }), false],
  ];
  test.each(rows)('%s', async (_what, membership, user, counts) => {
    expect(
      await hasAdministrator(
        await createStoreFrom(fixture({ users: [user], memberships: [membership] })),
        anyLength.fitsUser,
      ),
    ).toBe(counts);
  });

  test('does not count a user without a password', async () => {
    const { passwordHash: _none, ...without } = person('u0');
    const memberships = [{ groupId: 'g0', kind: 'user' as const, memberId: 'u0' }];
    expect(
      await hasAdministrator(await createStoreFrom(fixture({ users: [without], memberships })), anyLength.fitsUser),
    ).toBe(false);
  });
});

describe('a change', () => {
  const two = fixture({
    users: [person('u0'), person('u1')],
    memberships: [
      { groupId: 'g0', kind: 'user', memberId: 'u0' },
      { groupId: 'g1', kind: 'user', memberId: 'u1' },
    ],
  });
  const last = { ...two, memberships: two.memberships.slice(0, 1) };
  const changes: [string, (tx: Transaction) => Promise<unknown>][] = [
    ['locks the user', (tx) => tx.users.replace(person('u0', { locked: true }))],
    ['removes the user', (tx) => tx.users.delete('u0')],
    [
      'removes the user from the group',
      (tx) => tx.memberships.delete(membershipKey({ groupId: 'g0', kind: 'user', memberId: 'u0' })),
    ],
    ['removes the role from the group', (tx) => tx.groups.replace({ ...administrators, roles: [] })],
    ['removes the group', (tx) => tx.groups.delete('g0')],
  ];

  test.each(changes)('that %s is rejected for the last administrator, and changes nothing', async (_what, change) => {
    const store = await createStoreFrom(last);
    const before = [await store.groups.list(), await store.users.list(), await store.memberships.list()];
    const changing = store.transaction((tx) => withAdministratorCheck(tx, anyLength, () => change(tx)));
    await expect(changing).rejects.toMatchObject({ code: 'LAST_ADMINISTRATOR' });
    expect([await store.groups.list(), await store.users.list(), await store.memberships.list()]).toEqual(before);
  });

  test.each(changes.slice(0, 3))('that %s is accepted while there is another administrator', async (_what, change) => {
    const store = await createStoreFrom(two);
    await store.transaction((tx) => withAdministratorCheck(tx, anyLength, () => change(tx)));
    expect(await hasAdministrator(store, anyLength.fitsUser)).toBe(true);
  });

  test('is rejected for the last one when two run at the same time', async () => {
    const store = await createStoreFrom(two);
    const removing = ['u0', 'u1'].map((userId) =>
      store.transaction((tx) => withAdministratorCheck(tx, anyLength, () => tx.users.delete(userId))),
    );
    const outcomes = (await Promise.allSettled(removing)).map(({ status }) => status);
    expect(outcomes.sort()).toEqual(['fulfilled', 'rejected']);
    expect(await hasAdministrator(store, anyLength.fitsUser)).toBe(true);
  });

  test('is accepted where there was no administrator before', async () => {
    const store = await createStoreFrom(fixture({ users: [person('u0')] }));
    await store.transaction((tx) => withAdministratorCheck(tx, anyLength, () => tx.users.delete('u0')));
    expect(await store.users.count()).toBe(0);
  });
});
