import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectRoleSources, readRoleSources } from '../../../src/server/directory/role-provenance.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { type Group, membershipKey } from '../../../src/server/store/tables.ts';
import { rounds } from '../../effort.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const size = 7;
const roleNames = ['A', 'B', 'C', 'D'];
const someRoles = fc.uniqueArray(fc.constantFrom(...roleNames), { maxLength: 3 });
const someGroups = fc.uniqueArray(fc.nat({ max: size - 1 }));
/** The order of names differs from that of ids, so that the test does not confuse them. */
const nameOf = (at: number) => `name ${(at * 5) % size}`;
const idOf = (at: number) => `g${at}`;

function groupAt(at: number, roles: readonly string[], dependencies: readonly number[]): Group {
  const lower = dependencies.filter((other) => other < at);
  return { groupId: idOf(at), groupName: nameOf(at), roles, dependencies: lower.map(idOf), createdAt };
}

/** Graphs without cycles: a group depends on groups before it. */
const graph = fc
  .array(fc.record({ roles: someRoles, dependencies: someGroups }), { minLength: size, maxLength: size })
  .map((nodes) => nodes.map(({ roles, dependencies }, at) => groupAt(at, roles, dependencies)));

/** The naive implementation: a group grants its own roles and those of its dependencies. */
function grants(groups: readonly Group[], groupId: string, role: string): boolean {
  const group = groups.find((one) => one.groupId === groupId);
  return !!group && (group.roles.includes(role) || group.dependencies.some((other) => grants(groups, other, role)));
}

function naive(groups: readonly Group[], memberOf: readonly string[]) {
  return roleNames
    .map((role) => ({
      role,
      groupNames: groups
        .filter(({ groupId }) => memberOf.includes(groupId) && grants(groups, groupId, role))
        .map(({ groupName }) => groupName)
        .toSorted(),
    }))
    .filter(({ groupNames }) => groupNames.length > 0);
}

const byId = (groups: readonly Group[]) => new Map(groups.map((group) => [group.groupId, group]));

test('equals the naive implementation for any graph', async () => {
  await fc.assert(
    fc.asyncProperty(graph, someGroups, async (groups, memberOf) => {
      const ids = memberOf.map(idOf);
      expect(await collectRoleSources(byId(groups), ids)).toEqual(naive(groups, ids));
    }),
    { numRuns: rounds(500) },
  );
});

type Change =
  | { readonly kind: 'roles'; readonly at: number; readonly roles: string[] }
  | { readonly kind: 'dependencies'; readonly at: number; readonly dependencies: number[] }
  | { readonly kind: 'membership'; readonly at: number; readonly by: 0 | 1 };

const at = fc.nat({ max: size - 1 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('roles' as const), at, roles: someRoles }),
  fc.record({ kind: fc.constant('dependencies' as const), at, dependencies: someGroups }),
  fc.record({ kind: fc.constant('membership' as const), at, by: fc.constantFrom(0 as const, 1 as const) }),
);

/** One user, and the two sources whose roles count together: the user itself and its business. */
const members = [
  { kind: 'user', memberId: 'm' },
  { kind: 'business', memberId: 'm' },
] as const;

async function apply(store: Store, change: Change): Promise<void> {
  await store.transaction(async (tx) => {
    const group = await tx.groups.get(idOf(change.at));
    if (!group) throw new Error('every group is there');
    if (change.kind === 'roles') return tx.groups.replace({ ...group, roles: change.roles });
    if (change.kind === 'dependencies') return tx.groups.replace(groupAt(change.at, group.roles, change.dependencies));
    const membership = { ...members[change.by], groupId: group.groupId };
    if (!(await tx.memberships.delete(membershipKey(membership)))) await tx.memberships.insert(membership);
  });
}

test('is right after every change of roles, dependencies and memberships', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.array(change, { maxLength: 12 }), async (groups, changes) => {
      const store = openMemoryStore();
      await store.transaction(async (tx) => {
        for (const group of groups) await tx.groups.insert(group);
      });
      for (const one of changes) {
        await apply(store, one);
        const memberOf = (await store.memberships.list()).map(({ groupId }) => groupId);
        expect(await readRoleSources(store, members)).toEqual(naive(await store.groups.list(), memberOf));
      }
    }),
  );
});

describe('the sources of roles', () => {
  test('skip deleted groups, and terminate in a cycle', async () => {
    const one = { groupId: 'g1', groupName: 'one', roles: ['A'], dependencies: ['g2', 'removed'], createdAt };
    const two = { groupId: 'g2', groupName: 'two', roles: ['B'], dependencies: ['g1'], createdAt };
    expect(await collectRoleSources(byId([one, two]), ['g1', 'removed', 'g1'])).toEqual([
      { role: 'A', groupNames: ['one'] },
      { role: 'B', groupNames: ['one'] },
    ]);
  });

  test('may have the names of prototype members', async () => {
    const group = {
      groupId: '__proto__',
      groupName: 'constructor',
      roles: ['CONSTRUCTOR'],
      dependencies: [],
      createdAt,
    };
    expect(await collectRoleSources(byId([group]), ['__proto__'])).toEqual([
      { role: 'CONSTRUCTOR', groupNames: ['constructor'] },
    ]);
  });

  test('of a chain of 50 groups are found for members of 1,000 of them', async () => {
    const chain = Array.from({ length: 1050 }, (_, place) => ({
      ...groupAt(0, [`R${place}`], []),
      groupId: idOf(place),
      groupName: `n${place}`,
      dependencies: place % 50 === 0 ? [] : [idOf(place - 1)],
    }));
    const found = await collectRoleSources(
      byId(chain),
      chain.slice(0, 1000).map(({ groupId }) => groupId),
    );
    expect(found.find(({ role }) => role === 'R0')?.groupNames).toHaveLength(50);
    expect(found).toHaveLength(1000);
  });
});
