import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { send } from '../../control-client.ts';

const seed: SeedDocument = {
  businesses: [{ businessId: 'same', businessName: 'Acme', document: '1' }],
  corporateGroups: [{ corporateGroupId: 'cg1', corporateGroupName: 'Holding' }],
  users: [
    { userId: 'u1', userName: 'alice' },
    { userId: 'same', userName: 'bob' },
  ],
  clients: [
    { clientId: 'c1', appId: 'billing', serviceAccountId: 'billing-service' },
    { clientId: 'c2', appId: 'shop' },
  ],
  groups: [{ groupId: 'g1', groupName: 'ops' }],
  apiKeys: [{ apiKeyId: 'k1', appId: 'reports', clientId: 'c1', apiKey: `${'k'.repeat(42)}E=` }],
};

const shared = sharedServer(() => startServer({ seed }));

function find(server: TestServer, ids: readonly string[]) {
  return send(server, '/_iam/names', { method: 'POST', body: { ids } });
}

const everyKind = [
  { id: 'u1', kind: 'user', name: 'alice' },
  { id: 'same', kind: 'user', name: 'bob' },
  { id: 'g1', kind: 'group', name: 'ops' },
  { id: 'same', kind: 'business', name: 'Acme' },
  { id: 'c1', kind: 'client', name: 'billing-service' },
  { id: 'c2', kind: 'client', name: 'shop' },
  { id: 'cg1', kind: 'corporateGroup', name: 'Holding' },
  { id: '1', kind: 'customer', name: 'Acme' },
  { id: 'k1', kind: 'apiKey', name: 'reports' },
];

describe('the names of ids', () => {
  test('of every kind are found, of all entities with the id, and of unknown ids none', async () => {
    const ids = [...new Set(everyKind.map(({ id }) => id)), 'u1', 'unknown', '__proto__'];
    const { status, body } = await find(shared(), ids);
    expect(status).toBe(200);
    const { names } = body as { names: unknown[] };
    expect(names).toHaveLength(everyKind.length);
    expect(names).toEqual(expect.arrayContaining(everyKind));
    expect((await find(shared(), [])).body).toEqual({ names: [] });
  });

  test('are found for at most 500 ids of the form of ids', async () => {
    const ids = Array.from({ length: 500 }, (_, at) => `u${at}`);
    expect((await find(shared(), ids)).body).toEqual({ names: [{ id: 'u1', kind: 'user', name: 'alice' }] });
    expect(await find(shared(), [...ids, 'u500'])).toMatchObject({ status: 400, body: [{ message: /500/ }] });
    expect(await find(shared(), ['no id'])).toMatchObject({ status: 400 });
  });

  test('in a sandbox are those of the sandbox', async () => {
    const server = shared();
    const made = await send(server, '/_iam/sandboxes', { method: 'POST', body: { name: 'other' } });
    const { baseUrl } = made.body as { baseUrl: string };
    const sandbox = { ...server, url: baseUrl } as TestServer;
    const users = [{ userId: 'only-here', userName: 'carol' }];
    expect((await send(sandbox, '/_iam/seed', { method: 'POST', body: { users } })).status).toBe(200);
    expect((await find(sandbox, ['only-here'])).body).toMatchObject({ names: [{ name: 'carol' }] });
    expect((await find(server, ['only-here'])).body).toEqual({ names: [] });
  });
});
