/** Permanent and temporary disk failures, as seen by writes and health checks. */
import { expect, test } from 'vitest';
import { SeedDocument } from '../../../src/server/seed/schema.ts';
import { StoreUnavailableError } from '../../../src/server/store/store.ts';
import { adminClient, startServer } from '../../harness.ts';
import { createMemorySink } from '../audit/memory-sink.ts';
import { send } from '../control/control-client.ts';
import { StoreHarness } from '../store/store-harness.ts';

const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
const groups = '/security/iam/v1/groups';

test('after a failed sync the server is live but not ready, also once the disk works again', async () => {
  const harness = new StoreHarness();
  const audit = createMemorySink();
  await using server = await startServer({ audit, openStore: () => harness.open() });
  const create = (groupName: string) => send(server, groups, { method: 'POST', headers, body: { groupName } });
  expect((await create('one')).status).toBe(201);
  expect((await send(server, '/readyz')).body).toEqual({ status: 'ready', store: 'writable', audit: 'written' });
  harness.disk.failAt('EIO', ({ kind, name }) => kind === 'syncData' && name === 'journal.jsonl');
  expect(await create('two')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(audit.last()).toMatchObject({ result: 'failed', code: 'STORE_UNAVAILABLE' });
  harness.disk.heal();
  expect((await create('three')).status).toBe(503);
  expect(await send(server, '/readyz')).toMatchObject({
    status: 503,
    body: { status: 'not ready', store: 'read-only', problem: 'write-failed' },
  });
  expect((await send(server, '/healthz')).status).toBe(200);
  expect((await send(server, '/metrics')).body).toContain('iam_store_writable 0\n');
  // Reads continue, and a backup is possible.
  expect((await send(server, groups, { headers })).status).toBe(200);
  const backup = await send(server, '/_iam/store/backup', { method: 'POST' });
  expect(backup.body).toContain('"groupName":"one"');
  expect(backup.body).not.toContain('"groupName":"two"');
});

test('a full disk makes it not ready until there is space', async () => {
  const harness = new StoreHarness();
  await using server = await startServer({ openStore: () => harness.open() });
  harness.disk.capacity = 0;
  const create = () => send(server, groups, { method: 'POST', headers, body: { groupName: 'one' } });
  expect((await create()).status).toBe(503);
  expect(await send(server, '/readyz')).toMatchObject({ status: 503, body: { problem: 'disk-full' } });
  harness.disk.capacity = Number.POSITIVE_INFINITY;
  expect((await create()).status).toBe(201);
  expect((await send(server, '/readyz')).status).toBe(200);
});

test.each(['iam.lock', 'journal.jsonl'])('after %s was replaced it serves reads only, and says so', async (name) => {
  const harness = new StoreHarness();
  await using server = await startServer({ openStore: () => harness.open() });
  const create = (groupName: string) => send(server, groups, { method: 'POST', headers, body: { groupName } });
  expect((await create('one')).status).toBe(201);
  harness.disk.plant(harness.path(name), harness.bytes(harness.path(name)));
  for (const groupName of ['two', 'three']) expect((await create(groupName)).status).toBe(503);
  expect(await send(server, '/readyz')).toMatchObject({ status: 503, body: { problem: 'files-replaced' } });
  const list = await send(server, groups, { headers });
  expect([list.status, JSON.stringify(list.body).includes('two')]).toEqual([200, false]);
  expect(harness.events).toContainEqual(expect.objectContaining({ event: 'dispossessed', file: harness.path(name) }));
});

test.each([
  ['a seed', { seed: SeedDocument.parse({ groups: [{ groupName: 'seeded' }] }) }],
  ['other credentials', { environment: { IAM_ADMIN_CLIENT_SECRET: 'another-secret-of-the-administrator' } }],
] as const)('a start on a full disk is rejected with %s, and changes nothing', async (_, changes) => {
  const harness = new StoreHarness();
  await (await startServer({ openStore: () => harness.open() }))[Symbol.asyncDispose]();
  const before = harness.bytes(harness.path('iam.json'));
  harness.disk.failAt('ENOSPC', ({ kind }) => kind === 'write');
  await expect(startServer({ openStore: () => harness.open(), ...changes })).rejects.toThrow(StoreUnavailableError);
  harness.disk.heal();
  expect(harness.bytes(harness.path('iam.json'))).toEqual(before);
  await using server = await startServer({ openStore: () => harness.open() });
  expect((await send(server, groups, { headers })).body).toEqual(expect.not.arrayContaining([{ groupName: 'seeded' }]));
});
