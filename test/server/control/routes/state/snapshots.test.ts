import { describe, expect, test } from 'vitest';
import { maxSnapshots } from '../../../../../src/server/snapshots/snapshots.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { userToken } from '../../../operations/user-token.ts';
import { readAllPages, send } from '../../control-client.ts';
import { exportState, importState, reset, seed } from './state-client.ts';

const path = '/_iam/state/snapshots';
const save = (server: TestServer, body: unknown) => send(server, path, { method: 'POST', body });
const restore = (server: TestServer, name: string) => send(server, `${path}/${name}/restore`, { method: 'POST' });

describe('a snapshot', () => {
  test('restores the saved state any number of times', async () => {
    await using server = await startServer({ seed });
    const token = await userToken(server, { userId: 'carol' });
    expect(await save(server, { name: 'before' })).toMatchObject({
      status: 201,
      body: { name: 'before', createdAt: server.clock.now().toISOString() },
    });
    const then = await server.dump();
    for (let round = 0; round < 3; round += 1) {
      await server.appContext.store.transaction(async (tx) => {
        for (const { sessionId } of await tx.sessions.list()) await tx.sessions.delete(sessionId);
      });
      await server.admin.groups.create({ body: { groupName: 'new' } });
      const ended = await server.as({ token }).raw('GET', '/security/iam/v1/groups', {});
      expect(ended).toMatchObject({ status: 401 });
      expect(await restore(server, 'before')).toMatchObject({ status: 204 });
      expect(await server.dump()).toEqual(then);
      const back = await server.as({ token }).raw('GET', '/security/iam/v1/groups', {});
      expect(back).not.toMatchObject({ status: 401 });
    }
  });

  test.each<[string, (server: TestServer, exported: string) => Promise<unknown>]>([
    ['a restore', (server) => restore(server, 'before')],
    ['a reset', (server) => reset(server, { to: 'seed' })],
    ['an import', (server, exported) => importState(server, exported, '?force=true')],
  ])('does not revalidate revoked tokens of a client: %s', async (_, change) => {
    await using server = await startServer({ seed });
    await save(server, { name: 'before' });
    const exported = await exportState(server);
    const credentials = { clientId: 'billing', clientSecret: 'secret-of-billing' };
    const tokens = await Promise.all(
      [server.admin, server.as(credentials)].map(async (client) => (await client.clientIdentities.login()).accessToken),
    );
    const statuses = () =>
      Promise.all(
        tokens.map(async (token) => (await server.as({ token }).raw('GET', '/security/iam/v1/groups', {})).status),
      );
    expect(await statuses()).not.toContain(401);
    await server.appContext.store.transaction(async (tx) => {
      for (const client of await tx.clients.list()) await tx.clients.replace({ ...client, tokenGeneration: 2 });
    });
    expect(await statuses()).toEqual([401, 401]);
    await change(server, exported);
    expect(await statuses()).toEqual([401, 401]);
    await expect(server.admin.groups.list()).resolves.toBeDefined();
  });

  test('survives a reset and an import', async () => {
    await using server = await startServer({ seed });
    await using other = await startServer();
    const then = await exportState(server);
    await save(server, { name: 'a' });
    await reset(server, { to: 'empty' });
    expect(await importState(server, await exportState(other), '?force=true')).toMatchObject({ status: 204 });
    expect(await restore(server, 'a')).toMatchObject({ status: 204 });
    expect(await server.appContext.store.users.list()).toEqual(JSON.parse(then).tables.users);
    expect(await server.appContext.store.storeSecrets.list()).toEqual(JSON.parse(then).tables.storeSecrets);
    await expect(server.admin.groups.list()).resolves.toBeDefined();
  });

  test('replaces an existing one only with the replace option', async () => {
    await using server = await startServer();
    await save(server, { name: 'a' });
    await server.admin.groups.create({ body: { groupName: 'new' } });
    expect(await save(server, { name: 'a' })).toMatchObject({ status: 412, body: [{ code: 'SNAPSHOT_EXISTS' }] });
    await restore(server, 'a');
    expect(await server.appContext.store.groups.getBy('groupName', 'new')).toBeUndefined();
    await server.admin.groups.create({ body: { groupName: 'newer' } });
    expect(await save(server, { name: 'a', replace: true })).toMatchObject({ status: 201 });
    await restore(server, 'a');
    expect(await server.appContext.store.groups.getBy('groupName', 'newer')).toBeDefined();
  });

  const shared = sharedServer();
  test.each(['', '.', '-a', 'a/b', 'a b', 'now', 'seed', 'empty', 'x'.repeat(65), 1])(
    'has no name like %j',
    async (name) => {
      const server = shared();
      expect((await save(server, { name })).status).toBeOneOf([400, 422]);
      expect(await send(server, path)).toMatchObject({ body: [] });
    },
  );

  test('is limited in number, also for concurrent requests', async () => {
    await using server = await startServer();
    const names = Array.from({ length: maxSnapshots + 50 }, (_, number) => `s${String(number).padStart(3, '0')}`);
    const responses = await Promise.all(names.map((name) => save(server, { name })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(maxSnapshots);
    expect(responses.find(({ status }) => status !== 201)).toMatchObject({
      status: 412,
      body: [{ code: 'TOO_MANY_SNAPSHOTS' }],
    });
    const { items, statuses } = await readAllPages(server, `${path}?limit=20`);
    expect(statuses).toEqual([206, 206, 200]);
    expect(items).toHaveLength(maxSnapshots);
    const [first] = items as { name: string }[];
    expect(await send(server, `${path}/${first?.name}`, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await save(server, { name: 'one-more' })).toMatchObject({ status: 201 });
  });

  test('that does not exist is not found', async () => {
    await using server = await startServer();
    const before = await server.dump();
    for (const action of [{ method: 'DELETE' }, { method: 'POST', suffix: '/restore' }])
      expect(await send(server, `${path}/nothing${action.suffix ?? ''}`, { method: action.method })).toMatchObject({
        status: 404,
        body: [{ code: 'SNAPSHOT_NOT_FOUND' }],
      });
    expect(await send(server, '/_iam/state/diff?from=nothing')).toMatchObject({ status: 404 });
    expect(await server.dump()).toEqual(before);
  });

  test('that cannot be saved leaves the state unchanged', async () => {
    await using server = await startServer();
    await save(server, { name: 'a' });
    await server.admin.groups.create({ body: { groupName: 'new' } });
    const before = await server.dump();
    server.stopWrites();
    expect(await restore(server, 'a')).toMatchObject({ status: 503 });
    expect(await server.dump()).toEqual(before);
  });
});

describe('the difference of two states', () => {
  const diff = async (server: TestServer, query = '') => (await send(server, `/_iam/state/diff${query}`)).body;

  test('lists added, deleted and changed rows without secrets', async () => {
    await using server = await startServer({ seed });
    expect(await diff(server)).toEqual({ from: 'seed', to: 'now', tables: [] });
    await save(server, { name: 'a' });
    await server.appContext.store.transaction(async (tx) => {
      const alice = await tx.users.get('alice');
      if (alice) await tx.users.replace({ ...alice, locked: true, passwordHash: '$argon2id$other' });
      await tx.users.delete('bob');
      await tx.businesses.insert({ businessId: 'new', businessName: 'New' });
      await tx.tickets.insert({ ticketHash: 'hash-of-a-ticket', kind: 'param', expiresAt: 1 });
    });
    const expected = [
      { table: 'users', added: [], removed: ['bob'], changed: [{ key: 'alice', fields: expect.anything() }] },
      { table: 'businesses', added: ['new'], removed: [], changed: [] },
      { table: 'tickets', added: ['hash-of-a-ti...'], removed: [], changed: [] },
    ];
    const found = (await diff(server, '?from=a')) as { tables: typeof expected };
    expect(found.tables).toEqual(expected);
    expect(found.tables[0]?.changed[0]?.fields).toEqual([
      { field: 'locked', before: false, after: true },
      { field: 'passwordHash' },
    ]);
    expect(await diff(server)).toMatchObject({ tables: expected });
    expect(await diff(server, '?from=now&to=a')).toMatchObject({
      tables: [{ added: ['bob'], changed: [{ key: 'alice' }] }, { removed: ['new'] }, {}],
    });
    expect(await diff(server, '?from=empty&to=empty')).toMatchObject({ tables: [] });
  });

  test('shows the generation of the tokens of a client, and not its secret', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient();
    await save(server, { name: 'a' });
    await server.appContext.store.transaction(async (tx) => {
      const client = await tx.clients.get(clientId);
      if (!client) throw new Error('there is no client');
      await tx.clients.replace({ ...client, secretHash: 'other', tokenGeneration: 1 });
    });
    const fields = [{ field: 'secretHash' }, { field: 'tokenGeneration', after: 1 }];
    expect(await diff(server, '?from=a')).toMatchObject({ tables: [{ changed: [{ key: clientId, fields }] }] });
  });

  test('requires valid names', async () => {
    await using server = await startServer();
    expect((await send(server, '/_iam/state/diff?from=a%20b')).status).toBe(400);
  });
});
