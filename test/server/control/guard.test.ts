import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { userToken } from '../operations/user-token.ts';
import { send } from './control-client.ts';

const all = controlRoutes.map(({ method, path }) => ({
  method,
  path: `/_iam${path.replaceAll(/\{\w+\}/g, 'SOME')}`,
  body: path === '/revoke' ? { token: 'x' } : undefined,
}));

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const port = () => new URL(server.url).port;

/** Sends a request and counts the handler runs of its route. */
async function sendCounting(path: string, headers: Record<string, string | string[]>) {
  const reads = Object.values(server.appContext.store).flatMap((table) =>
    typeof table === 'object' && 'list' in table ? [vi.spyOn(table, 'list'), vi.spyOn(table, 'find')] : [],
  );
  const response = await send(server, path, { headers });
  const count = reads.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  for (const spy of reads) spy.mockRestore();
  return { ...response, count };
}

describe('on a loopback-only server', () => {
  test('counts the reads of an allowed request', async () => {
    expect(await sendCounting('/_iam/users', {})).toMatchObject({ status: 200, count: 1 });
  });

  test('accepts the names and addresses of this machine', async () => {
    const hosts = ['127.0.0.1', 'localhost', 'LocalHost', '127.1.2.3', '[::1]', 'iam.localhost'];
    for (const name of hosts)
      expect(await send(server, '/_iam/users', { headers: { Host: `${name}:${port()}` } })).toMatchObject({
        status: 200,
      });
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost.',
    '0.0.0.0',
    '10.0.0.1',
    '[::2]',
    'xlocalhost',
  ])('a request to %s is rejected before anything is read', async (name) => {
    const response = await sendCounting('/_iam/users', { Host: `${name}:${port()}` });
    expect(response).toMatchObject({ status: 421, count: 0, body: [{ code: 'HOST_FOREIGN' }] });
  });

  test.each(['localhost:1', '127.0.0.1', 'localhost:80', '[::1]:65535'])(
    "the port of a container's port mapping does not matter: %s",
    async (host) => {
      expect(await sendCounting('/_iam/users', { Host: host })).toMatchObject({ status: 200, count: 1 });
    },
  );

  test('pages of this machine are allowed, from any port', async () => {
    for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:5173', 'http://app.localhost'])
      expect(await send(server, '/_iam/users', { headers: { Origin: origin } })).toMatchObject({ status: 200 });
  });

  test.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example:8080',
    'null',
    '',
    'file://',
    'http://127.0.0.1@evil.example',
    'localhost',
    'chrome-extension://localhost',
  ])('a page of %j is rejected before anything is read', async (origin) => {
    const response = await sendCounting('/_iam/users', { Origin: origin });
    expect(response).toMatchObject({ status: 403, count: 0, body: [{ code: 'ORIGIN_FOREIGN' }] });
  });

  test('a valid Origin beside an invalid one is rejected', async () => {
    const response = await sendCounting('/_iam/users', { Origin: ['http://localhost', 'https://evil.example'] });
    expect(response).toMatchObject({ status: 403, count: 0 });
  });

  test('administrators are rejected too: credentials make no difference', async () => {
    const headers = {
      Origin: 'https://evil.example',
      Authorization: `Bearer ${await userToken(server, { roles: ['ADMIN'] })}`,
    };
    expect(await sendCounting('/_iam/users', headers)).toMatchObject({ status: 403, count: 0 });
  });

  test('a request that a local proxy forwards is rejected, even if its headers hide the source', async () => {
    await using behind = await startServer({ flags: { 'trusted-proxies': '127.0.0.1' } });
    const forwarded = { 'X-Forwarded-For': '192.0.2.1' };
    for (const headers of [forwarded, { ...forwarded, Forwarded: 'for=127.0.0.1' }, { Forwarded: 'for=unknown' }]) {
      expect(await send(behind, '/_iam/state/export', { headers })).toMatchObject({
        status: 403,
        body: [{ code: 'ORIGIN_FOREIGN' }],
      });
      expect(await send(behind, '/s/hidden/healthz', { headers })).toMatchObject({ status: 404 });
    }
    expect(behind.appContext.sandboxes.list()).toEqual([]);
    expect(await send(behind, '/_iam/users')).toMatchObject({ status: 200 });
  });

  test('a request that an unconfigured local proxy forwards is rejected as well', async () => {
    await using behind = await startServer();
    for (const headers of [{ 'X-Forwarded-For': '192.0.2.1' }, { Forwarded: 'for=192.0.2.1' }]) {
      expect(await send(behind, '/_iam/state/export', { headers })).toMatchObject({
        status: 403,
        body: [{ code: 'ORIGIN_FOREIGN', message: expect.stringContaining('--trusted-proxies') }],
      });
      expect(await send(behind, '/s/hidden/healthz', { headers })).toMatchObject({ status: 404 });
      expect(await send(behind, '/healthz', { headers })).toMatchObject({ status: 200 });
    }
    expect(behind.appContext.sandboxes.list()).toEqual([]);
  });

  test('invalid credentials do not matter', async () => {
    const headers = { Authorization: 'Bearer stale' };
    expect(await send(server, '/_iam/users', { headers })).toMatchObject({ status: 200 });
  });

  test('CORS never allows pages of other sites', async () => {
    const origin = 'https://evil.example';
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'GET' };
    const preflighted = await send(server, '/_iam/users', { method: 'OPTIONS', headers: preflight });
    const read = await send(server, '/_iam/users', { headers: { Origin: origin } });
    for (const { headers, status } of [preflighted, read])
      expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });
});

describe('on a remotely reachable server', () => {
  let remote: TestServer;
  beforeAll(async () => {
    remote = await startServer({ flags: { host: '0.0.0.0', 'allow-remote': true } });
  });
  afterAll(() => remote[Symbol.asyncDispose]());

  const basic = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
    Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  });

  const withBasic = async (authorities: string[]) => basic(await remote.makeClient({ authorities }));
  test('the same applies in a sandbox, by the callers of the sandbox', async () => {
    await remote.appContext.sandboxes.open('guarded', true);
    const path = '/s/guarded/_iam/state/export';
    expect(await send(remote, path)).toMatchObject({ status: 401 });
    expect(await send(remote, path, { headers: await withBasic(['IAM_ADMIN_MAINTENANCE']) })).toMatchObject({
      status: 401,
    });
    expect(await send(remote, path, { headers: basic(adminClient) })).toMatchObject({ status: 200 });
  });

  test('a token may be revoked by its bearer', async () => {
    const token = await userToken(remote);
    expect(await send(remote, '/_iam/revoke', { method: 'POST', body: { token } })).toMatchObject({ status: 200 });
    const headers = { Authorization: `Bearer ${token}` };
    expect(await send(remote, '/_iam/users', { headers })).toMatchObject({ status: 401 });
  });

  test('accepts any host name of the machine', async () => {
    const headers = { Host: 'iam.example', ...basic(await remote.makeClient({ authorities: ['ADMIN'] })) };
    expect(await send(remote, '/_iam/users', { headers })).toMatchObject({ status: 200 });
  });
});

describe('disabled', () => {
  test('returns 404 for every path, for any caller', async () => {
    await using off = await startServer({ flags: { 'disable-control-plane': true } });
    const kid = off.appContext.keys.current().kid;
    const others = ['/_iam', '/_iam/nothing'].map((path) => ({ method: 'GET', path, body: undefined }));
    for (const { path, ...options } of [...all, ...others]) {
      for (const headers of [{}, { Origin: 'https://evil.example' }])
        expect(await send(off, path, { ...options, headers })).toMatchObject({
          status: 404,
          body: [{ code: 'PATH_UNKNOWN' }],
        });
    }
    expect(off.appContext.keys.current().kid).toBe(kid);
  });
});

describe('paths and methods', () => {
  test.each([
    '/_iam',
    '/_iam/',
    '/_iam/nothing',
    '/_iam/users/',
    '/_iam/Users',
    '/_iam/groups/x',
    '/_iamusers',
    '/_IAM/users',
  ])('%s is unknown', async (path) => {
    expect(await send(server, path)).toMatchObject({ status: 404, body: [{ code: 'PATH_UNKNOWN' }] });
  });

  test.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s is accepted only on routes that declare it',
    async (method) => {
      for (const { path } of all) {
        const methods = all.filter((route) => route.path === path).map((route) => route.method as string);
        if (methods.includes(method)) continue;
        const response = await send(server, path, { method });
        const allow = methods.map((name) => (name === 'GET' ? 'GET, HEAD' : name)).join(', ');
        expect(response).toMatchObject({ status: 405, headers: { allow } });
        expect(response.body).toMatchObject([{ code: 'METHOD_NOT_ALLOWED' }]);
      }
    },
  );

  test('HEAD responds as GET does, without the body', async () => {
    const response = await send(server, '/_iam/users', { method: 'HEAD' });
    expect(response).toMatchObject({ status: 200, body: undefined });
  });

  test('is not available under the service prefix', async () => {
    expect(await send(server, '/security/iam/v1/_iam/users')).toMatchObject({ status: 404 });
  });
});
