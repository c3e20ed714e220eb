/** The reader of a call returns the current rows after any change, also where it knows the groups of an earlier call. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reader, Store } from '../../src/server/store/store.ts';
import { memberValue } from '../../src/server/store/tables.ts';
import { group, member, user } from '../server/store/rows.ts';
import { databaseUrl } from './database.ts';
import { countRoundTrips } from './round-trips.ts';
import { TestSchemas } from './schemas.ts';

const schemas = new TestSchemas(databaseUrl);
const groupIds = ['a', 'b', 'c', 'd'];
const members = ['u1', 'u2'].map((memberId) => memberValue({ kind: 'user', memberId }));
let store: Store;

beforeEach(async () => {
  store = await schemas.open();
});
afterEach(() => store.close());

async function prefetch(keys = {}): Promise<Reader> {
  const reader = await store.prefetch?.({ keys, members });
  if (!reader) throw new Error('The store has no prefetch.');
  return reader;
}

async function readAll(reader: Reader) {
  const memberships = await reader.memberships.findMany('member', members);
  const reached = await reader.groups.reach(
    'dependency',
    memberships.map(({ groupId }) => groupId),
  );
  return { memberships, reached, user: await reader.users.get('u1'), groups: await reader.groups.getMany(groupIds) };
}

const changes = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('group'), id: fc.constantFrom(...groupIds), dependencies: fc.subarray(groupIds) }),
    fc.record({ kind: fc.constant('removed'), id: fc.constantFrom(...groupIds) }),
    fc.record({
      kind: fc.constantFrom('joined', 'left'),
      id: fc.constantFrom(...groupIds),
      of: fc.constantFrom('u1', 'u2'),
    }),
    fc.record({ kind: fc.constant('user'), locked: fc.boolean() }),
  ),
  { minLength: 1, maxLength: 8 },
);
type Change = (typeof changes extends fc.Arbitrary<infer Value> ? Value : never)[number];

const apply = (change: Change) =>
  store.transaction(async (tx) => {
    if ('locked' in change) {
      await tx.users.delete('u1');
      return tx.users.insert(user('u1', { locked: change.locked }));
    }
    if ('of' in change) {
      const row = member(change.id, change.of);
      await tx.memberships.delete(`${change.id}/user//${change.of}`);
      return change.kind === 'joined' ? tx.memberships.insert(row) : undefined;
    }
    await tx.groups.delete(change.id);
    return 'dependencies' in change
      ? tx.groups.insert(group(change.id, { dependencies: change.dependencies }))
      : undefined;
  });

test('returns what the store returns after each of random changes', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      for (const change of all) {
        await apply(change);
        expect(await readAll(await prefetch({ users: 'u1' }))).toEqual(await readAll(store));
      }
    }),
  );
});

test('reads the members and their groups in one round trip, also after their groups have changed', async () => {
  await apply({ kind: 'group', id: 'c', dependencies: [] });
  await apply({ kind: 'group', id: 'b', dependencies: ['c'] });
  await apply({ kind: 'joined', id: 'b', of: 'u1' });
  const read = async () => {
    const reader = await prefetch();
    const { groupId } = (await reader.memberships.findMany('member', members)).find((row) => row.groupId === 'b') ?? {};
    return (await reader.groups.reach('dependency', [groupId ?? ''])).map((row) => row.groupId);
  };
  for (const _ of [1, 2, 3]) expect((await countRoundTrips(read)).count).toBe(1);
  await apply({ kind: 'group', id: 'd', dependencies: [] });
  await apply({ kind: 'group', id: 'c', dependencies: ['d'] });
  expect(await read()).toEqual(['b', 'c', 'd']);
  for (const _ of [1, 2]) expect((await countRoundTrips(read)).count).toBe(1);
});
