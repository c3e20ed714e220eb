/** Effective roles: those of a group and of its dependencies, compared with a naive implementation. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { resolveAuthenticatedClientRoles } from '../../../src/server/directory/clients.ts';
import { listGroupIdsOfMember, resolveEffectiveRoles } from '../../../src/server/directory/group-roles.ts';
import { resolveClientAuthorities } from '../../../src/server/directory/service-roles.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Reader, Transaction } from '../../../src/server/store/store.ts';
import type { Client } from '../../../src/server/store/tables.ts';
import { startServer } from '../../harness.ts';
import { formatBasicHeader, sendWithHeaders } from '../auth/auth-requests.ts';
import { arbitraryGroupGraph, createStoreFrom, type GroupGraph, groupIds, naiveRoles } from './group-arbitraries.ts';

const someGroups = fc.subarray([...groupIds, 'removed']);

describe.each([
  ['without circles', false],
  ['with circles', true],
] as const)('in graphs %s', (_what, cyclic) => {
  test('the effective roles equal those of the naive implementation', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGroupGraph(cyclic), someGroups, async (fixture, from) => {
        expect(await resolveEffectiveRoles(await createStoreFrom(fixture), from)).toEqual(naiveRoles(fixture, from));
      }),
    );
  });

  test('a group inherits the roles of another exactly where the other lists it as a dependent', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGroupGraph(cyclic), fc.constantFrom(...groupIds), async (fixture, target) => {
        const marked = {
          ...fixture,
          groups: fixture.groups.map((row) => ({ ...row, roles: row.groupId === target ? ['MARK'] : [] })),
        };
        const store = await createStoreFrom(marked);
        const reaching = await store.groups.findReaching('dependency', 'role', 'MARK');
        for (const groupId of groupIds)
          expect([groupId, reaching.some((row) => row.groupId === groupId)]).toEqual([
            groupId,
            (await resolveEffectiveRoles(store, [groupId])).has('MARK'),
          ]);
      }),
    );
  });
});

const serviceClient = (client: Partial<Client> = {}): Client => ({
  clientId: 'c',
  appId: 'a',
  party: '1STPARTY',
  authorities: ['OWN'],
  scope: [],
  grantTypes: [],
  factorVisibility: 'CREDENTIALS_ONLY',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...client,
});

describe('a client', () => {
  test('with a service account has the roles of the groups of the service, and AUTH-BASIC', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGroupGraph(), async (fixture) => {
        const store = await createStoreFrom(fixture);
        // A user of the same name is a different one: its groups do not count.
        const client = serviceClient({ serviceAccountId: 'u0' });
        const from = fixture.memberships
          .filter((row) => row.kind === 'service' && row.memberId === 'u0')
          .map((row) => row.groupId);
        expect(await resolveClientAuthorities(store, client)).toEqual(
          new Set(['OWN', 'AUTH-BASIC', ...naiveRoles(fixture, from)]),
        );
        expect(await listGroupIdsOfMember(store, { kind: 'service', memberId: 'u0' })).toEqual([...from].sort());
      }),
    );
  });

  test('without a service account has its own authorities and, authenticated, those of its party', async () => {
    const store = await createStoreFrom({ groups: [], users: [], memberships: [] });
    expect(await resolveClientAuthorities(store, serviceClient())).toEqual(new Set(['OWN']));
    expect(await resolveAuthenticatedClientRoles(store, serviceClient({ party: '3RDPARTY' }))).toEqual(
      new Set(['OWN', 'CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC', 'CLI-3RDPARTY']),
    );
  });
});

test('has a new role from the next request on, and loses it as soon as it is removed', async () => {
  await using server = await startServer();
  const { clientId, clientSecret } = await server.makeClient({ serviceAccountId: 'auditing' });
  const { groups } = server.admin;
  const { groupId } = await groups.create({ body: { groupName: 'outer' } });
  await groups.create({ body: { groupName: 'inner' } });
  await server.appContext.store.transaction((tx) =>
    tx.memberships.insert({ groupId, kind: 'service', memberId: 'auditing' }),
  );
  const read = async () => (await sendWithHeaders(server, [formatBasicHeader(clientId, clientSecret)])).status;
  expect(await read()).toBe(403);
  await groups.addDependency({ params: { groupId: 'outer' }, body: { groupName: 'inner' } });
  expect(await read()).toBe(403);
  await groups.addRole({ params: { groupId: 'inner' }, body: { roleName: 'IAM_ADMIN_READ_ONLY' } });
  expect(await read()).toBe(200);
  await groups.removeDependency({ params: { groupId: 'outer', dependencyName: 'inner' } });
  expect(await read()).toBe(403);
});

/** A change of one group: a replacement by the group of another graph, or a delete. */
type Change = { readonly groupId: string; readonly graph: GroupGraph | undefined };

const changes = (cyclic: boolean): fc.Arbitrary<Change[]> =>
  fc.array(
    fc.record({
      groupId: fc.constantFrom(...groupIds),
      graph: fc.option(arbitraryGroupGraph(cyclic), { nil: undefined, freq: 4 }),
    }),
    { minLength: 1, maxLength: 6 },
  );

async function put(tx: Transaction, { groupId, graph }: Change): Promise<void> {
  await tx.groups.delete(groupId);
  const row = graph?.groups.find((group) => group.groupId === groupId);
  if (row) await tx.groups.insert(row);
}

async function allRoles(reader: Pick<Reader, 'groups'>): Promise<Set<string>[]> {
  return Promise.all(groupIds.map((groupId) => resolveEffectiveRoles(reader, [groupId])));
}

describe('the cache of effective roles', () => {
  test('is right after each change of a group, within its transaction and after it', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGroupGraph(true), changes(true), async (fixture, happening) => {
        const store = await createStoreFrom(fixture);
        await allRoles(store);
        for (const change of happening) {
          const inside = await store.transaction(async (tx) => {
            await put(tx, change);
            return { seen: await allRoles(tx), groups: await tx.groups.list() };
          });
          const expected = groupIds.map((groupId) => naiveRoles({ ...fixture, groups: inside.groups }, [groupId]));
          expect(inside.seen).toEqual(expected);
          expect(await allRoles(store)).toEqual(expected);
        }
      }),
    );
  });

  test('contains nothing of a transaction that was rolled back', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGroupGraph(false), changes(false), async (fixture, [change]) => {
        const store = await createStoreFrom(fixture);
        const before = await allRoles(store);
        const failing = store.transaction(async (tx) => {
          if (change) await put(tx, change);
          await allRoles(tx);
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        expect(await allRoles(store)).toEqual(before);
      }),
    );
  });

  test('does not mix the state before and after a concurrent change', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGroupGraph(true), changes(true), async (fixture, happening) => {
        const store = await createStoreFrom(fixture);
        const reading = Array.from({ length: 20 }, () => allRoles(store));
        await Promise.all(happening.map((change) => store.transaction((tx) => put(tx, change))));
        await Promise.all(reading);
        const groups = await store.groups.list();
        expect(await allRoles(store)).toEqual(groupIds.map((groupId) => naiveRoles({ ...fixture, groups }, [groupId])));
      }),
    );
  });

  test('does not read the groups again until one of them changes', async () => {
    const store = openMemoryStore();
    const group = (groupId: string, dependencies: string[]) => ({
      ...{ groupId, groupName: groupId, dependencies, createdAt: '2026-01-01T00:00:00.000Z' },
      roles: [groupId.toUpperCase()],
    });
    await store.transaction(async (tx) => {
      await tx.groups.insert(group('a', []));
      await tx.groups.insert(group('b', ['a']));
    });
    const reach = vi.spyOn(store.groups, 'reach');
    const reads = async () => {
      reach.mockClear();
      await resolveEffectiveRoles(store, ['b']);
      return reach.mock.calls.length;
    };
    expect([await reads(), await reads()]).toEqual([1, 0]);
    await store.transaction((tx) => tx.counters.insert({ name: 'other', last: 1 }));
    expect(await reads()).toBe(0);
    await store.transaction((tx) => tx.groups.replace(group('a', [])));
    expect([await reads(), await reads()]).toEqual([1, 0]);
  });
});
