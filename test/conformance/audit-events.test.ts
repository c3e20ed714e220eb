/** Every operation and every route of the control plane that writes leaves an audit event; none has a sensitive value. */
import { expect, test } from 'vitest';
import { controlPrefix } from '../../src/contract/prefix.ts';
import { auditedTables } from '../../src/server/audit/changes.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import type { OperationId } from '../../src/server/operations/index.ts';
import { createSecretCheck } from '../../src/server/snapshots/dump-diff.ts';
import { startServer, type TestServer } from '../harness.ts';
import { send } from '../server/control/control-client.ts';
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

const controlSeed = {
  users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com' }],
  clients: [{ clientId: 'c1', clientSecret: 'a secret of the walk', serviceAccountId: 'robot' }],
  apiKeys: [{ apiKeyId: 'k1', appId: 'app', clientId: 'c1', apiKey: 'K'.repeat(48) }],
};

interface ListedEvent {
  readonly result: string;
  readonly objects: readonly unknown[];
}

interface ControlWrite {
  readonly query?: string;
  readonly body?: object;
  readonly id?: string;
}

/** What a request to a route needs; the others need nothing. */
const controlWrites: Readonly<Record<string, ControlWrite>> = {
  'control.api-key-rotate': { id: 'k1', body: {} },
  'control.create-browser-session': { body: { userId: 'ann' } },
  'control.client-rotate-secret': { id: 'c1', body: {} },
  'control.update-client': { id: 'c1', body: { scope: ['read'] } },
  'control.set-clock': { body: { advance: '1s' } },
  'control.faults-add': { body: { operation: 'groups.list', effect: { status: 503 } } },
  'control.faults-remove': { query: '?id=f1' },
  'control.revoke': { body: { token: 'unknown' } },
  'control.sandbox-create': { body: { name: 'one' } },
  'control.sandbox-delete': { id: 'one' },
  'control.seed-apply': { body: { groups: [{ groupName: 'ops' }] } },
  'control.create-session': { body: { userId: 'ann' } },
  'control.end-sessions': { query: '?userId=ann' },
  'control.snapshot-save': { body: { name: 'before' } },
  'control.snapshot-restore': { id: 'before' },
  'control.snapshot-delete': { id: 'before' },
  'control.token-inspect': { body: { token: 'unknown' } },
  'control.token-issue': { body: { for: 'ann' } },
  'control.create-user': { body: { userName: 'bob', userEmail: 'bob@example.com' } },
  'control.revoke-consent': { id: 'ann' },
  'control.set-password': { id: 'ann', body: { newPassword: 'correct horse battery' } },
};

/** They are about the whole service or a credential, or what they are about is not listed. */
const controlWithoutObjects: readonly string[] = [
  ...['set-clock', 'coverage-clear', 'inbox-empty', 'keys-rotate', 'revoke'],
  ...['state-export', 'state-import', 'state-reset'],
  ...['store-backup', 'token-inspect'],
];
/** No snapshot and no consent exists yet, and no document is sent. */
const refusedWrites: readonly string[] = ['snapshot-delete', 'state-import', 'snapshot-restore', 'revoke-consent'];

test('each write of the control plane is an event of its caller, also a refused one', async () => {
  await using server = await startServer({ seed: controlSeed });
  const nameless: string[] = [];
  const refused: string[] = [];
  for (const { id: operation, method, path } of controlRoutes.filter(({ audit }) => audit.kind !== 'read')) {
    const { query = '', body, id = '' } = controlWrites[operation] ?? {};
    await send(server, `${controlPrefix}${path.replace(/\{\w+\}/, id)}${query}`, { method, body });
    const [event] = (await send(server, `${controlPrefix}/audit?limit=1`)).body as ListedEvent[];
    expect(event).toMatchObject({ operation, actor: { kind: 'anonymous' }, remoteAddress: '127.0.0.1' });
    const name = operation.replace('control.', '');
    if (event?.objects?.length === 0) nameless.push(name);
    if (event?.result !== 'granted') refused.push(name);
  }
  expect(nameless).toEqual(controlWithoutObjects);
  expect(refused).toEqual(refusedWrites);
});
