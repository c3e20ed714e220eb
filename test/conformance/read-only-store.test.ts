/** While the store is read-only, requests that would change it are rejected with 503, and change nothing. So does a GET at any time. */
import { expect, test } from 'vitest';
import type { OperationId } from '../../src/server/operations/index.ts';
import { createStoreFactory } from '../../src/server/request-store.ts';
import { startServer } from '../harness.ts';
import { createCallerCredentials } from '../server/property/callers.ts';
import type { RawResponse } from '../server/property/raw-sender.ts';
import { growthRequests, sendGrowthRequest, startGrowthFixture } from './growth-limit-requests.ts';
import { buildValidRequest, createObjects, validRequestsSeed, walkedOperations } from './matrices/valid-requests.ts';

function expectRejected(id: string, { status, headers, text }: RawResponse): void {
  expect({ id, status, retryAfter: headers['retry-after'], text }).toEqual({
    id,
    status: 503,
    retryAfter: '5',
    text: expect.stringContaining('The store rejects writes. Nothing was changed.'),
  });
}

test('rejects the requests of administrators and other clients', async () => {
  await using server = await startServer({ seed: validRequestsSeed });
  const { authorization } = await createCallerCredentials(server);
  const headers = [['Authorization', authorization]] as const;
  const objects = await createObjects(server, 1);
  const before = await server.dump();
  server.stopWrites();
  for (const operation of walkedOperations.filter(({ method }) => method !== 'GET'))
    expectRejected(operation.id, await server.send(buildValidRequest({ operation, headers, objects, number: 1 })));
  expect(await server.dump()).toEqual(before);
});

test('rejects the requests of callers that are not authenticated', async () => {
  await using fixture = await startGrowthFixture({});
  const { server } = fixture;
  const requests = await Promise.all(
    Object.entries(growthRequests).map(async ([id, make]) => [id as OperationId, await make(fixture)] as const),
  );
  const before = await server.dump();
  server.stopWrites();
  for (const [id, request] of requests) expectRejected(id, await sendGrowthRequest(server, id, request));
  expect(await server.dump()).toEqual(before);
});

// The tests of each operation then fail if it writes: without the guards, limits and audit events of writes.
test('an operation that reads writes nothing, unless it is declared', async () => {
  await using server = await startServer();
  const get = { id: 'area.read', method: 'GET', request: {} } as const;
  const write = (operation: Parameters<typeof createStoreFactory>[0]) => {
    const request = { body: undefined, caller: undefined, limited: undefined, onCommit: () => undefined };
    const { transaction } = createStoreFactory(operation, server.appContext, true)(request);
    return transaction((tx) => tx.usedProofs.insert({ proofHash: JSON.stringify(operation), expiresAt: 1 }));
  };
  await expect(write(get)).rejects.toThrow('area.read declares no writes');
  await write({ ...get, writes: true });
  await write({ ...get, method: 'POST' });
  expect(await server.appContext.store.usedProofs.count()).toBe(2);
});
