/** Every operation that writes leaves an audit event with its objects; no event contains a sensitive value. */
import { expect, test } from 'vitest';
import { auditedTables } from '../../src/server/audit/changes.ts';
import type { OperationId } from '../../src/server/operations/index.ts';
import { createSecretCheck } from '../../src/server/snapshots/dump-diff.ts';
import { startServer, type TestServer } from '../harness.ts';
import { createCallerCredentials } from '../server/property/callers.ts';
import { growthRequests, renewalRequests, sendGrowthRequest, startGrowthFixture } from './growth-limit-requests.ts';
import { buildValidRequest, createObjects, validRequestsSeed, walkedOperations } from './matrices/valid-requests.ts';

const lastEvent = ({ appContext }: TestServer) => appContext.auditTrail.since(0).at(-1);

/** They are about a product token, which is no object. */
const withoutObjects: readonly string[] = ['product-accesses.authorize', 'product-accesses.validate-token'];

/** The texts of all rows in sensitive fields. */
async function listSecrets({ appContext }: TestServer): Promise<string[]> {
  const secrets: string[] = [];
  for (const table of auditedTables) {
    const isSecret = createSecretCheck(table);
    for (const row of await appContext.store[table].list())
      for (const [field, value] of Object.entries(row)) if (isSecret(field)) secrets.push(...textsIn(value));
  }
  return secrets;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('each write of a client is an event with its objects, and each refused one has no changes', async () => {
  await using server = await startServer({ seed: validRequestsSeed });
  const { authorization } = await createCallerCredentials(server);
  const headers = [['Authorization', authorization]] as const;
  const walked = walkedOperations.filter(({ id, method }) => method !== 'GET' && id !== 'my-client-identities.remove');
  const secrets = new Set<string>();
  const nameless: string[] = [];
  for (const [at, operation] of walked.entries()) {
    const number = at + 1;
    const request = buildValidRequest({ operation, headers, objects: await createObjects(server, number), number });
    for (const secret of await listSecrets(server)) secrets.add(secret);
    await server.send({ ...request, headers: [] });
    expect([operation.id, lastEvent(server)?.changesText, lastEvent(server)?.result]).toEqual([
      operation.id,
      undefined,
      'refused',
    ]);
    await server.send(request);
    const event = lastEvent(server);
    expect(event).toMatchObject({ operation: operation.id, result: 'granted' });
    if (event?.objects === undefined) nameless.push(operation.id);
  }
  for (const secret of await listSecrets(server)) secrets.add(secret);
  expect(nameless).toEqual(withoutObjects);
  expect(secrets.size).toBeGreaterThan(walked.length);
  const text = JSON.stringify(server.appContext.auditTrail.since(0));
  expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
});

test('each request that signs in, or needs no sign-in, is an event', async () => {
  await using fixture = await startGrowthFixture({});
  for (const [id, make] of Object.entries({ ...growthRequests, ...renewalRequests })) {
    await sendGrowthRequest(fixture.server, id as OperationId, (await make?.(fixture)) ?? {});
    expect(lastEvent(fixture.server)).toMatchObject({ operation: id });
  }
});
