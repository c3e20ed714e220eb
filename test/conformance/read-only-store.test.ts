/** While the store is read-only, requests that would change it are rejected with 503, and change nothing. */
import { expect, test } from 'vitest';
import type { OperationId } from '../../src/server/operations/index.ts';
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
