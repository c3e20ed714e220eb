import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { implicitStatuses } from '../../../../../src/contract/errors.ts';
import type { Operation } from '../../../../../src/contract/operation.ts';
import { listOperationErrors } from '../../../../../src/contract/operation-errors.ts';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { operations } from '../../../../../src/server/operations/index.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { send } from '../../control-client.ts';

const path = '/_iam/faults';
const groups = `${servicePrefix}/groups`;
const registry: readonly Operation<never>[] = Object.values(operations);
const asAdmin = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

async function add(server: TestServer, rule: object) {
  const response = await send(server, path, { method: 'POST', body: rule });
  expect(response).toMatchObject({ status: 201 });
  return response.body as { readonly id: string };
}

const rules = async (server: TestServer) => (await send(server, path)).body as { matched: number; applied: number }[];

/** Lists groups a number of times. @returns the statuses. */
async function statuses(server: TestServer, times: number, headers: Record<string, string> = asAdmin) {
  const found: number[] = [];
  for (let at = 0; at < times; at += 1) found.push((await send(server, groups, { headers })).status);
  return found;
}

describe('Prefer', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ recordsStatuses: false });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('injects every documented error of every operation and changes nothing', async () => {
    const before = await server.dump();
    for (const operation of registry) {
      const { method, statuses: documented, softErrors } = operation;
      const at = servicePrefix + operation.path.replaceAll(/\{\w+\}/g, 'x');
      for (const status of documented.filter((one) => one >= 400)) {
        const headers = { ...asAdmin, Prefer: `code=${status}` };
        const response = await send(server, at, { method, headers });
        expect([operation.id, softErrors, response.status]).toEqual([operation.id, softErrors, status]);
        expect(response.headers).toMatchObject({
          'x-iam-fault': `prefer status=${status}`,
          'preference-applied': `code=${status}`,
        });
        const [item] = Array.isArray(response.body) ? (response.body as { code: string }[]) : [];
        if (operation.errorFormat === undefined && !implicitStatuses.includes(status))
          expect(listOperationErrors(operation).get(item?.code as never)).toBe(status);
      }
    }
    expect(await server.dump()).toEqual(before);
  });

  test.each(['code=503', 'respond-async, code=503', 'code="503"; x', 'CODE=503', 'wait=1;code = 503'])(
    'is read as %j',
    async (Prefer) => {
      const response = await send(server, groups, { headers: { Prefer } });
      expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    },
  );

  test.each(['code=200', 'code=418', 'code=404', 'code=5030', 'xcode=503', 'code=', 'respond-async', ''])(
    'of %j is passed over',
    async (Prefer) => {
      const response = await send(server, groups, { headers: { ...asAdmin, Prefer } });
      expect(response.status).toBe(200);
      expect(response.headers['x-iam-fault']).toBeUndefined();
    },
  );

  test('is recorded in the request log', async () => {
    const { headers } = await send(server, groups, { headers: { ...asAdmin, Prefer: 'code=500' } });
    const { body } = await send(server, `/_iam/requests/${headers['x-request-id']}`);
    expect(body).toMatchObject({ status: 500, errors: ['INTERNAL'], fault: 'prefer status=500' });
  });

  test('has no effect on the control plane, nor when the control plane is disabled', async () => {
    const headers = { ...asAdmin, Prefer: 'code=500' };
    expect(await send(server, '/_iam/users', { headers })).toMatchObject({ status: 200 });
    await using off = await startServer({ flags: { 'disable-control-plane': true } });
    expect(await send(off, groups, { headers })).toMatchObject({ status: 200 });
  });
});

describe('a rule', () => {
  const shared = sharedServer();

  test('is added, listed and removed', async () => {
    await using server = await startServer();
    const first = await add(server, { operation: 'groups.list', effect: { status: 503 } });
    const second = await add(server, { times: 2, effect: { latency: '1s', jitter: '5ms' } });
    expect(await rules(server)).toEqual([
      { id: first.id, operation: 'groups.list', effect: { status: 503 }, matched: 0, applied: 0 },
      { id: second.id, times: 2, effect: { latency: '1000ms', jitter: '5ms' }, matched: 0, applied: 0 },
    ]);
    expect(await send(server, `${path}?id=${first.id}`, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await send(server, `${path}?id=${first.id}`, { method: 'DELETE' })).toMatchObject({
      status: 404,
      body: [{ code: 'FAULT_NOT_FOUND' }],
    });
    expect(await rules(server)).toMatchObject([{ id: second.id }]);
    expect(await send(server, path, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await rules(server)).toEqual([]);
  });

  test.each([
    { effect: {} },
    {},
    { effect: { status: 200 } },
    { effect: { status: 600 } },
    { effect: { status: 399 } },
    { effect: { retryAfter: 5 } },
    { effect: { status: 503, retryAfter: -1 } },
    { effect: { latency: '1s', retryAfter: 5 } },
    { effect: { body: 'xml' } },
    { effect: { redirect: 'somewhere' } },
    { effect: { redirect: '/a\r\nX: 1' } },
    { effect: { drop: 'after', body: 'cut' } },
    { effect: { status: 503, drop: 'before' } },
    { effect: { jitter: '1s' } },
    { effect: { latency: '61s' } },
    { effect: { latency: '1m' } },
    { effect: { latency: 5 } },
    { effect: { drop: 'now' } },
    { effect: { rotateKey: false } },
    { operation: 'groups.nothing', effect: { status: 503 } },
    { operation: 'control.users', effect: { status: 503 } },
    { nth: 0, effect: { status: 503 } },
    { nth: 1, every: 2, effect: { status: 503 } },
    { probability: 1.1, effect: { status: 503 } },
    { times: 0, effect: { status: 503 } },
    { wrong: 1, effect: { status: 503 } },
    { preset: 'jwks-down', effect: { status: 503 } },
    { operation: 'groups.list', target: 'logins', effect: { status: 503 } },
    { operation: 'keys.get', effect: { staleKeys: true } },
    { caller: 'test-admin', effect: { missingKey: true } },
    { target: 'discovery', effect: { staleKeys: true } },
    { target: 'jwks', effect: { rotateKey: true } },
    { caller: 'test-admin', preset: 'jwks-down' },
  ])('is rejected if it is invalid: %j', async (rule) => {
    const server = shared();
    expect(await send(server, path, { method: 'POST', body: rule })).toMatchObject({ status: 400 });
    expect(await rules(server)).toEqual([]);
  });

  test.each([
    [{ effect: { body: 'xml' } }, 'effect.body', /html.*empty.*malformed.*cut/],
    [{ preset: 'gateway-500' }, 'preset', /next-login-fails.*gateway-502.*jwks-down/],
    [{ target: 'keys', effect: { status: 503 } }, 'target', /jwks.*discovery.*logins/],
    [{ effect: { status: 99 } }, 'effect.status', /from 400 to 599/],
  ])('is rejected with the path and the allowed values: %j', async (rule, field, message) => {
    const { body } = await send(shared(), path, { method: 'POST', body: rule });
    expect(body).toMatchObject([{ message: expect.stringMatching(message), details: { field } }]);
  });

  test('is limited to a hundred rules', async () => {
    await using server = await startServer();
    for (let at = 0; at < 100; at += 1) await add(server, { operation: 'groups.list', effect: { status: 503 } });
    expect(await send(server, path, { method: 'POST', body: { effect: { status: 503 } } })).toMatchObject({
      status: 429,
      body: [{ code: 'TOO_MANY_FAULTS' }],
    });
  });

  test('affects only requests of its operation and is reported in the response', async () => {
    await using server = await startServer();
    const { id } = await add(server, { operation: 'groups.list', effect: { status: 503 } });
    const response = await send(server, groups, { headers: asAdmin });
    expect(response).toMatchObject({ status: 503, headers: { 'x-iam-fault': `${id} status=503` } });
    expect((await send(server, `${servicePrefix}/api-key`, { headers: asAdmin })).status).toBe(200);
    const recorded = await send(server, `/_iam/requests/${response.headers['x-request-id']}`);
    expect(recorded.body).toMatchObject({ status: 503, fault: `${id} status=503`, caller: adminClient.clientId });
  });

  test('authorizes no one: a rejected caller is rejected as before, and does not count', async () => {
    await using server = await startServer();
    await add(server, { operation: 'groups.list', effect: { status: 503 } });
    expect(await statuses(server, 1, {})).toEqual([401]);
    expect(await rules(server)).toMatchObject([{ matched: 0, applied: 0 }]);
  });

  test('affects the nth request, every nth, or a limited number', async () => {
    await using server = await startServer();
    const one = async (rule: object) => {
      await send(server, path, { method: 'DELETE' });
      await add(server, { operation: 'groups.list', effect: { status: 503 }, ...rule });
      return (await statuses(server, 6)).map((status) => (status === 503 ? 'x' : '.')).join('');
    };
    expect(await one({ nth: 3 })).toBe('..x...');
    expect(await one({ every: 2 })).toBe('.x.x.x');
    expect(await one({ every: 2, times: 1 })).toBe('.x....');
    expect(await one({ times: 2 })).toBe('xx....');
    expect(await one({ probability: 0 })).toBe('......');
    expect(await one({ probability: 1 })).toBe('xxxxxx');
  });

  test('affects the configured number of a hundred parallel requests', async () => {
    await using server = await startServer();
    await add(server, { operation: 'groups.list', times: 7, effect: { status: 503 } });
    const found = await Promise.all(Array.from({ length: 100 }, () => send(server, groups, { headers: asAdmin })));
    expect(found.filter(({ status }) => status === 503)).toHaveLength(7);
    expect(await rules(server)).toMatchObject([{ matched: 100, applied: 7 }]);
  });

  test('affects the same requests each time, by its seed', async () => {
    await using server = await startServer();
    const one = async (seed: number) => {
      await send(server, path, { method: 'DELETE' });
      await add(server, { operation: 'groups.list', probability: 0.5, seed, effect: { status: 503 } });
      return (await statuses(server, 30)).join();
    };
    const [first, again, other] = [await one(7), await one(7), await one(8)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(first).toContain('200');
    expect(first).toContain('503');
  });

  test('affects the requests of one caller', async () => {
    await using server = await startServer();
    const client = await server.makeClient({ authorities: ['ADMIN', 'AUTH-BASIC'] });
    await add(server, { caller: client.clientId, effect: { status: 503 } });
    const own = { Authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` };
    expect([await statuses(server, 1), await statuses(server, 1, own)]).toEqual([[200], [503]]);
  });
});
