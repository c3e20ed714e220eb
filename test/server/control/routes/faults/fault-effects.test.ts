/** Effects of injected faults, on the response and on the store. */
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../../src/contract/operation.ts';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { createFaultInjector } from '../../../../../src/server/fault-injection/fault-injector.ts';
import { operations } from '../../../../../src/server/operations/index.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { userToken } from '../../../operations/user-token.ts';
import { send } from '../../control-client.ts';
import { createFakeTimer } from '../inbox/sse-client.ts';

const groups = `${servicePrefix}/groups`;
const asAdmin = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

const add = (server: TestServer, rule: object) => send(server, '/_iam/faults', { method: 'POST', body: rule });
const make = (server: TestServer, groupName: string) =>
  send(server, groups, { method: 'POST', headers: asAdmin, body: { groupName } });

async function hasGroup({ appContext: { store } }: TestServer, groupName: string): Promise<boolean> {
  return (await store.groups.getBy('groupName', groupName)) !== undefined;
}

async function readLastRequest(server: TestServer) {
  const { body } = await send(server, '/_iam/requests?limit=1');
  return (body as object[])[0];
}

describe('dropping the connection', () => {
  test('before the operation leaves the store unchanged', async () => {
    await using server = await startServer();
    await add(server, { operation: 'groups.create', times: 1, effect: { drop: 'before' } });
    const before = await server.dump();
    await expect(make(server, 'ops')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await server.dump()).toEqual(before);
    const entry = await readLastRequest(server);
    expect(entry).toMatchObject({ operation: 'groups.create', fault: 'f1 drop=before' });
    expect(entry).not.toHaveProperty('status');
    expect(await make(server, 'ops')).toMatchObject({ status: 201 });
  });

  test('after the operation keeps its writes, although the caller saw a broken connection', async () => {
    await using server = await startServer();
    await add(server, { operation: 'groups.create', times: 1, effect: { drop: 'after' } });
    await expect(make(server, 'ops')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await hasGroup(server, 'ops')).toBe(true);
    expect(await readLastRequest(server)).toMatchObject({ fault: 'f1 drop=after' });
    expect(await make(server, 'ops')).toMatchObject({ status: 412 });
  });
});

test('an error is injected before the operation: the store is unchanged', async () => {
  await using server = await startServer();
  await add(server, { operation: 'groups.create', times: 1, effect: { status: 500 } });
  expect(await make(server, 'ops')).toMatchObject({ status: 500 });
  expect(await hasGroup(server, 'ops')).toBe(false);
});

describe('a new key', () => {
  test('is created between issuing and verifying a token: verifiers refetch the keys and accept the token', async () => {
    await using server = await startServer();
    const keysBefore = server.appContext.keys.publicKeys().map(({ kid }) => kid);
    await add(server, { operation: 'client-identities.login', times: 1, effect: { rotateKey: true } });
    const { accessToken } = await server.admin.clientIdentities.login();
    const [head = ''] = accessToken.split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    expect(keysBefore).toContain(kid);
    expect(server.appContext.keys.current().kid).not.toBe(kid);
    const response = await send(server, groups, { headers: { Authorization: `Bearer ${accessToken}` } });
    expect(response.status).toBe(200);
    const later = await server.admin.clientIdentities.login();
    expect(later.accessToken.split('.')[0]).not.toBe(head);
  });
});

describe('a stale key set', () => {
  const path = '/.well-known/jwks.json';
  const kids = async (server: TestServer, at = '') =>
    ((await send(server, at + path)).body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);

  test('is the one before the last rotation, for as many requests as the rule specifies, and is marked', async () => {
    await using server = await startServer();
    await server.appContext.keys.rotate();
    const before = await kids(server);
    await server.appContext.keys.rotate();
    const after = await kids(server);
    expect([before.length, after.length]).toEqual([2, 3]);
    await add(server, { times: 2, effect: { staleKeys: true } });
    const response = await send(server, path);
    expect(response).toMatchObject({ status: 200, headers: { 'x-iam-fault': 'f1 stale-keys' } });
    expect(await readLastRequest(server)).toMatchObject({ path, fault: 'f1 stale-keys' });
    expect(await kids(server)).toEqual(before);
    expect(await kids(server)).toEqual(after);
    expect((await send(server, path)).headers).not.toHaveProperty('x-iam-fault');
    expect((await send(server, '/_iam/faults')).body).toMatchObject([
      { effect: { staleKeys: true }, matched: 4, applied: 2 },
    ]);
  });

  test('still contains the removed key and does not affect operations or sandboxes', async () => {
    await using server = await startServer();
    const [old] = await kids(server);
    await server.appContext.keys.rotate();
    server.clock.advance(86_400);
    expect(await kids(server)).toEqual([server.appContext.keys.current().kid]);
    await add(server, { effect: { staleKeys: true } });
    expect(await kids(server)).toEqual([old]);
    expect(await kids(server, '/s/one')).not.toContain(old);
    expect((await make(server, 'ops')).headers).not.toHaveProperty('x-iam-fault');
    expect(await make(server, 'more')).toMatchObject({ status: 201 });
  });
});

describe('latency', () => {
  test('passes before the operation', async () => {
    await using server = await startServer();
    await add(server, { operation: 'groups.list', effect: { latency: '60ms' } });
    await add(server, { operation: 'groups.list', effect: { latency: '60ms', jitter: '10ms' } });
    const before = performance.now();
    const response = await send(server, groups, { headers: asAdmin });
    expect(response).toMatchObject({
      status: 200,
      headers: { 'x-iam-fault': 'f1 latency=60ms, f2 latency=60ms jitter=10ms' },
    });
    expect(performance.now() - before).toBeGreaterThan(110);
  });

  test('rejects a user that is locked during the delay', async () => {
    const timer = createFakeTimer();
    await using server = await startServer({ timer });
    const token = await userToken(server, { userId: 'ann', roles: ['ADMIN'] });
    await add(server, { operation: 'api-key.list', effect: { latency: '300ms' } });
    const headers = { Authorization: `Bearer ${token}` };
    expect(timer.pending).toBe(0);
    const response = send(server, `${servicePrefix}/api-key`, { headers });
    while (timer.pending === 0) await new Promise((done) => setImmediate(done));
    await server.appContext.store.transaction(async (tx) => {
      const user = await tx.users.get('ann');
      if (user) await tx.users.replace({ ...user, locked: true });
    });
    timer.pass(300);
    expect(await response).toMatchObject({ status: 401, body: [{ code: 'TOKEN_INVALID' }] });
  });

  test('adds up to at most a minute and does not delay a shutdown', async () => {
    const faults = createFaultInjector();
    for (let at = 0; at < 3; at += 1) faults.add({ effect: { latency: 50_000, jitter: 10_000 } });
    const operation: Operation<never> = operations['groups.list'];
    expect(faults.matchOperation(operation, undefined)?.waitMs).toBe(60_000);
    const disconnect = new AbortController();
    const waited = faults.wait(60_000, disconnect.signal);
    disconnect.abort();
    await waited;
  });
});
