import { describe, expect, test } from 'vitest';
import { rounds } from '../../../effort.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { createIds, expectRejection } from '../user-accesses/member-fixtures.ts';

const id = 'client-identities.migrate';
const target = { organizationId: 'new', businessUnitId: 'trade' };

/**
 * Clients of the organization old (in the units sales, stock and no unit), of another organization and of no
 * organization.
 */
function startWithClients(): Promise<TestServer> {
  const clients = [
    { clientId: 'sales-1', organizationId: 'old', businessUnitId: 'sales' },
    { clientId: 'sales-2', organizationId: 'old', businessUnitId: 'sales' },
    { clientId: 'stock-1', organizationId: 'old', businessUnitId: 'stock' },
    { clientId: 'whole', organizationId: 'old' },
    { clientId: 'other', organizationId: 'OLD', businessUnitId: 'sales' },
    { clientId: 'target-1', ...target },
    { clientId: 'none' },
  ];
  return startServer({ seed: { clients } });
}

const migrate = (server: TestServer, body: unknown) => server.admin.call(id, { body });

async function listMigrated(server: TestServer): Promise<string[]> {
  const rows = await server.appContext.store.clients.find('organizationId', 'new');
  return rows.filter((row) => row.businessUnitId === 'trade').map(({ clientId }) => clientId);
}

describe('a migration', () => {
  test('moves each listed client once and counts those that already match', async () => {
    await using server = await startWithClients();
    const clientIds = ['none', 'sales-1', 'none', 'target-1'];
    const response = await migrate(server, { clientIds, target });
    expect(response).toMatchObject({ status: 200, body: { matched: 3, migrated: 2 } });
    expect(await listMigrated(server)).toEqual(['none', 'sales-1', 'target-1']);
  });

  test.each([
    [{ organizationId: 'old', businessUnitId: 'sales' }, ['sales-1', 'sales-2']],
    [{ organizationId: 'old' }, ['sales-1', 'sales-2', 'stock-1', 'whole']],
    [{ organizationId: 'old', businessUnitId: 'SALES' }, []],
    [{ organizationId: 'constructor' }, []],
    [{ organizationId: '__proto__' }, []],
  ])('moves all clients of the source %j', async (source, expected) => {
    await using server = await startWithClients();
    const response = await migrate(server, { source, target });
    expect(response.body).toEqual({ matched: expected.length, migrated: expected.length });
    expect(await listMigrated(server)).toEqual([...expected, 'target-1'].toSorted());
  });

  test('moves a client of which only the organization, or only the unit, matches', async () => {
    await using server = await startWithClients();
    const halves = {
      'sales-1': { ...target, businessUnitId: 'sales' },
      'sales-2': { ...target, organizationId: 'old' },
    };
    for (const [clientId, half] of Object.entries(halves)) {
      const { body } = await migrate(server, { clientIds: [clientId], target: half });
      expect(body).toEqual({ matched: 1, migrated: 1 });
      expect(await server.appContext.store.clients.get(clientId)).toMatchObject(half);
    }
  });

  test('changes nothing if all clients already match', async () => {
    await using server = await startWithClients();
    await migrate(server, { source: { organizationId: 'old' }, target });
    const before = await server.dump();
    const again = await migrate(server, { source: { organizationId: 'new' }, target });
    expect(again.body).toEqual({ matched: 5, migrated: 0 });
    expect((await migrate(server, { clientIds: [], target })).body).toEqual({ matched: 0, migrated: 0 });
    expect(await server.dump()).toEqual(before);
  });

  test('changes no other field of a client', async () => {
    await using server = await startWithClients();
    const before = await server.appContext.store.clients.get('sales-1');
    await migrate(server, { clientIds: ['sales-1'], target });
    expect(await server.appContext.store.clients.get('sales-1')).toEqual({ ...before, ...target });
  });

  test('moves 10,000 clients, or none if one is unknown, and rejects 10,001', async () => {
    await using server = await startWithClients();
    const clientIds = createIds('many', rounds(10_000));
    const row = await server.appContext.store.clients.get('none');
    await server.appContext.store.transaction(async (tx) => {
      for (const clientId of clientIds) if (row) await tx.clients.insert({ ...row, clientId });
    });
    const oneBad = () => migrate(server, { clientIds: [...clientIds.slice(1), 'unknown'], target });
    await expectRejection(server, oneBad, { status: 404, code: 'CLIENT_NOT_FOUND' });
    const tooMany = () => migrate(server, { clientIds: createIds('too-many', 10_001), target });
    await expectRejection(server, tooMany, { status: 422, code: 'FIELD_VALUE' });
    const { length: count } = clientIds;
    expect((await migrate(server, { clientIds, target })).body).toEqual({ matched: count, migrated: count });
  });
});

describe('rejects', () => {
  test('a body with clientIds and source, and a body with neither', async () => {
    await using server = await startWithClients();
    const both = { clientIds: ['none'], source: { organizationId: 'old' }, target };
    await expectRejection(server, () => migrate(server, both), { status: 422, code: 'SELECTION_AMBIGUOUS' });
    await expectRejection(server, () => migrate(server, { target }), { status: 400, code: 'FIELD_MISSING' });
  });
});
