/** Random groups, users, businesses and memberships, and a naive implementation of the rules. */
import fc from 'fast-check';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import type { Group, Membership, User } from '../../../src/server/store/tables.ts';

const maintenanceRole = 'IAM_ADMIN_MAINTENANCE';
const roles = ['READ', 'WRITE', 'DEPLOY', maintenanceRole];
export const groupIds = ['g0', 'g1', 'g2', 'g3', 'g4', 'g5'];
const userIds = ['u0', 'u1', 'u2'];
const businessIds = ['b0', 'b1'];
const createdAt = '2026-01-01T00:00:00.000Z';

export interface GroupGraph {
  readonly groups: readonly Group[];
  readonly users: readonly User[];
  readonly memberships: readonly Membership[];
}

const group = (groupId: string, at: number, cyclic: boolean) =>
  fc.record({
    groupId: fc.constant(groupId),
    groupName: fc.constant(`group ${groupId}`),
    roles: fc.uniqueArray(fc.constantFrom(...roles), { maxLength: 2 }),
    dependencies: fc.uniqueArray(fc.constantFrom('removed', ...(cyclic ? groupIds : groupIds.slice(0, at))), {
      maxLength: 3,
    }),
    createdAt: fc.constant(createdAt),
  });

const user = (userId: string) =>
  fc
    .record({ locked: fc.boolean(), hasPassword: fc.boolean(), businessId: fc.option(fc.constantFrom(...businessIds)) })
    .map(
      ({ locked, hasPassword, businessId }): User => ({
        userId,
        userName: userId,
        locked,
        lead: false,
        emailVerified: false,
        mobileVerified: false,
        identities: [],
        createdAt,
        ...(hasPassword ? { passwordHash: 'hash' } : {}),
        ...(businessId === null ? {} : { businessId }),
      }),
    );

const groupId = fc.constantFrom(...groupIds);
const membership: fc.Arbitrary<Membership> = fc.oneof(
  fc.record({ groupId, kind: fc.constant('user' as const), memberId: fc.constantFrom(...userIds) }),
  fc.record({ groupId, kind: fc.constant('business' as const), memberId: fc.constantFrom(...businessIds) }),
  fc.record({ groupId, kind: fc.constant('service' as const), memberId: fc.constantFrom('s0', ...userIds) }),
  fc.record({
    groupId,
    kind: fc.constant('businessUser' as const),
    memberId: fc.constantFrom(...userIds),
    businessId: fc.constantFrom(...businessIds),
  }),
);

/** `cyclic`: with cycles, which no request can create, to check that reads terminate. */
export const arbitraryGroupGraph = (cyclic = false): fc.Arbitrary<GroupGraph> =>
  fc.record({
    groups: fc.tuple(...groupIds.map((id, at) => group(id, at, cyclic))),
    users: fc.tuple(...userIds.map(user)),
    memberships: fc.uniqueArray(membership, { maxLength: 6, selector: (row) => JSON.stringify(row) }),
  });

export async function createStoreFrom({ groups, users, memberships }: GroupGraph): Promise<Store> {
  const store = openMemoryStore();
  await store.transaction(async (tx) => {
    for (const row of groups) await tx.groups.insert(row);
    for (const row of users) await tx.users.insert(row);
    for (const row of memberships) await tx.memberships.insert(row);
  });
  return store;
}

/** Roles of these groups, repeated until the set no longer grows. */
export function naiveRoles({ groups }: GroupGraph, from: readonly string[]): Set<string> {
  const reached = new Set(from);
  for (let size = -1; size !== reached.size; ) {
    size = reached.size;
    for (const row of groups) if (reached.has(row.groupId)) for (const id of row.dependencies) reached.add(id);
  }
  return new Set(groups.filter((row) => reached.has(row.groupId)).flatMap((row) => row.roles));
}

/** The groups of a user: its own, those of its business, and those of its pair memberships. */
function naiveUserRoles(fixture: GroupGraph, { userId, businessId }: User): Set<string> {
  const from = fixture.memberships.filter(
    (row) =>
      (row.kind === 'user' && row.memberId === userId) ||
      (row.kind === 'business' && row.memberId === businessId) ||
      (row.kind === 'businessUser' && row.memberId === userId && row.businessId === businessId),
  );
  return naiveRoles(
    fixture,
    from.map((row) => row.groupId),
  );
}

export function naiveHasAdministrator(fixture: GroupGraph): boolean {
  return fixture.users.some(
    (row) => !row.locked && row.passwordHash !== undefined && naiveUserRoles(fixture, row).has(maintenanceRole),
  );
}
