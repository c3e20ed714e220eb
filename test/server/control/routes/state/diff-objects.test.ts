import { describe, expect, test } from 'vitest';
import { objectEntities } from '../../../../../src/server/snapshots/object-diff.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

const path = '/_iam/state/diff/objects';
const diff = async (server: TestServer, query = '') => (await send(server, `${path}${query}`)).body as ObjectDiff;

interface ObjectDiff {
  readonly counts: readonly object[];
  readonly internals: readonly object[];
  readonly objects: readonly { readonly entity: string; readonly id: string; readonly fields: readonly object[] }[];
  readonly names: readonly object[];
  readonly next?: string;
}

const seed = {
  users: [
    { userId: 'u1', userName: 'alice', userEmail: 'alice@example.com' },
    { userId: 'u2', userName: 'bob' },
  ],
  groups: [{ groupId: 'g1', groupName: 'ops', roles: ['DEPLOY', 'VIEW'] }],
};

describe('the difference of two states by object', () => {
  test('has names, the entries of lists that differ, and no secrets', async () => {
    await using server = await startServer({ seed });
    expect(await diff(server)).toMatchObject({ counts: [], internals: [], objects: [], names: [] });
    await server.appContext.store.transaction(async (tx) => {
      const alice = await tx.users.get('u1');
      const ops = await tx.groups.get('g1');
      if (!alice || !ops) throw new Error('not seeded');
      await tx.users.replace({ ...alice, locked: true, passwordHash: '$argon2id$other', mfaSources: [] });
      await tx.groups.replace({ ...ops, roles: ['VIEW', 'REPORTS'] });
      await tx.memberships.insert({ groupId: 'g1', kind: 'user', memberId: 'u1' });
      await tx.factors.insert({
        ...{ factorId: 'f1', userId: 'u2', contactType: 'EMAIL', email: 'bob@example.com', tags: [], verified: true },
        createdAt: alice.createdAt,
      });
      await tx.businesses.insert({ businessId: 'b1', businessName: 'Shop' });
      await tx.tickets.insert({ ticketHash: 'hash-of-a-ticket', kind: 'param', expiresAt: 1 });
    });
    const found = await diff(server);
    expect(found).toMatchObject({
      counts: [
        { entity: 'user', created: 0, changed: 2, deleted: 0 },
        { entity: 'group', created: 0, changed: 1, deleted: 0 },
        { entity: 'business', created: 1, changed: 0, deleted: 0 },
      ],
      internals: [{ table: 'tickets', created: 1, changed: 0, deleted: 0 }],
      objects: [
        {
          ...{ entity: 'user', id: 'u1', name: 'alice', action: 'changed' },
          fields: [{ field: 'locked', before: false, after: true }, { field: 'mfaSources' }, { field: 'passwordHash' }],
        },
        {
          ...{ entity: 'user', id: 'u2', name: 'bob', action: 'changed' },
          fields: [{ field: 'contacts', before: [], after: ['bob@example.com'] }],
        },
        {
          ...{ entity: 'group', id: 'g1', name: 'ops', action: 'changed' },
          fields: [
            { field: 'roles', before: ['DEPLOY'], after: ['REPORTS'] },
            { field: 'users', before: [], after: ['u1'] },
          ],
        },
        { entity: 'business', id: 'b1', name: 'Shop', action: 'created', fields: expect.anything() },
      ],
      names: [{ kind: 'user', id: 'u1', name: 'alice' }],
    });
    expect(JSON.stringify(found)).not.toContain('argon2id');
    // A name of the first state, if the second has none.
    await server.appContext.store.transaction((tx) => tx.users.delete('u1'));
    expect(await diff(server, '?from=empty')).not.toMatchObject({ names: [{ id: 'u1' }] });
    await send(server, '/_iam/state/snapshots', { method: 'POST', body: { name: 'after' } });
    expect(await diff(server, '?from=seed&to=after&entity=user')).toMatchObject({
      objects: [{ id: 'u1', name: 'alice', action: 'deleted' }, { id: 'u2' }],
    });
  });

  test('counts rows of which only fields of the service differ', async () => {
    await using server = await startServer({ seed });
    await server.appContext.store.transaction(async (tx) => {
      const alice = await tx.users.get('u1');
      if (alice) await tx.users.replace({ ...alice, knownSources: [{ hash: 'x', at: 1 }] });
    });
    expect(await diff(server)).toMatchObject({
      counts: [],
      objects: [],
      internals: [{ table: 'users', created: 0, changed: 1, deleted: 0 }],
    });
  });

  test('is paged, and limits long lists', async () => {
    await using server = await startServer({ seed });
    await server.appContext.store.transaction(async (tx) => {
      const bob = await tx.users.get('u2');
      for (let number = 0; bob && number < 60; number += 1) {
        const name = `n${number}`;
        await tx.users.insert({ ...bob, userId: name, userName: name });
        await tx.memberships.insert({ groupId: 'g1', kind: 'user', memberId: name });
      }
    });
    const ids: string[] = [];
    let query = '?limit=7';
    for (;;) {
      const { objects, next } = await diff(server, query);
      ids.push(...objects.map(({ entity, id }) => `${entity} ${id}`));
      if (next === undefined) break;
      expect(objects).toHaveLength(7);
      query = `?limit=7&after=${encodeURIComponent(next)}`;
    }
    expect(ids).toHaveLength(61);
    expect(new Set(ids).size).toBe(61);
    expect(ids.at(-1)).toBe('group g1');
    const [group] = (await diff(server, '?entity=group')).objects;
    expect(group?.fields).toMatchObject([{ field: 'users', before: [], omitted: 10 }]);
    expect((await diff(server, `?after=${objectEntities.at(-1)}:~`)).objects).toEqual([]);
  });

  test('requires states that exist', async () => {
    await using server = await startServer();
    expect(await send(server, `${path}?from=nothing`)).toMatchObject({ status: 404 });
  });
});
