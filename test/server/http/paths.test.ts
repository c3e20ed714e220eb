/** Paths and methods: matches exactly the declared ones, without normalization, and returns the right error for all others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { buildHead, expectFailure, type RawResponse, send } from './raw-http.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  await server.admin.groups.create({ body: { groupName: 'a b%2f日' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const basic = `Authorization: Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
const groups = `${servicePrefix}/groups`;

function sendRequest(method: string, target: string, lines: readonly string[] = [basic]): Promise<RawResponse> {
  return send(
    server,
    buildHead(`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', 'Content-Length: 0', ...lines),
  );
}

describe('a path', () => {
  test('is found if declared, also in absolute form and after repeated slashes', async () => {
    const targets = [
      `${groups}/ops`,
      `/${groups}/ops`,
      `////${groups}/ops`,
      `http://here${groups}/ops`,
      `HTTPS://elsewhere.example:1${groups}/ops`,
      `${groups}/ops?`,
      `${groups}/ops?x=%zz&y`,
      `${groups}/%6Fps`,
      `${groups}/a%20b%252f%E6%97%A5`,
    ];
    for (const target of targets) expect([target, (await sendRequest('GET', target)).status]).toEqual([target, 200]);
  });

  const unknown = [
    '',
    '/unknown',
    servicePrefix,
    `${servicePrefix}/`,
    `${servicePrefix}/unknown`,
    `${groups}/`,
    `${groups}/ops/`,
    `${groups}/ops/unknown`,
    `${groups}//ops`,
    `${servicePrefix}//groups`,
    `${servicePrefix}/Groups`,
    groups.toUpperCase(),
    `${servicePrefix}/GROUPS/ops`,
    `${servicePrefix.replace('v1', 'v2')}/groups`,
    `${servicePrefix}/%67roups`,
    `${groups}/../keys`,
    `${servicePrefix}/./groups`,
    `${servicePrefix}/groups%2Fops`,
    '/healthz/',
    '/Healthz',
    '/.well-known/',
    '/openapi.yaml',
    `${servicePrefix}/__proto__`,
    `${servicePrefix}/constructor`,
    '/__proto__',
    `${groups}#ops`,
  ];
  test.each(unknown.filter((target) => target !== ''))('%s is not found', async (target) => {
    expectFailure(await sendRequest('GET', target), 404, 'PATH_UNKNOWN');
    expectFailure(await sendRequest('GET', target, []), 404, 'PATH_UNKNOWN');
  });

  const disguised = ['/', '///', 'http://localhost', 'HTTP://localhost:80', 'https://elsewhere.example/'];
  test.each([
    '/_iam/users',
    '/_iam/state/export',
    '/_iam',
    '/_iam/console/',
    '/metrics',
    '/s/one/_iam/users',
    '/s/one/metrics',
  ])('%s, of the control plane, is found literally only', async (target) => {
    await server.appContext.sandboxes.open('one', true);
    for (const prefix of disguised) {
      expectFailure(await sendRequest('GET', prefix + target), 404, 'PATH_UNKNOWN');
      expectFailure(await sendRequest('POST', prefix + target, []), 404, 'PATH_UNKNOWN');
    }
    if (!/_iam(\/console\/)?$/.test(target)) expect((await sendRequest('GET', target)).status).toBeLessThan(300);
  });

  test.each([
    '/%5fiam/users',
    '/_IAM/users',
    '/x/../_iam/users',
    '/./_iam/users',
    '/s/one//_iam/users',
    'ftp://h/_iam/users',
  ])('%s is not a path of the control plane', async (target) =>
    expectFailure(await sendRequest('GET', target), 404, 'PATH_UNKNOWN'),
  );

  test('without the service prefix returns a hint', async () => {
    const messageOf = async (target: string) => JSON.parse((await sendRequest('GET', target)).text)[0].message;
    expect(await messageOf('/groups')).toBe(`Path not found. Paths of the service start with ${servicePrefix}/`);
    expect(await messageOf(`${servicePrefix}/grups`)).toBe('Path not found.');
  });

  test.each([servicePrefix, `${servicePrefix}/`])('%s names the API document and the console', async (target) => {
    const { text } = await sendRequest('GET', target);
    const [{ code, message }] = JSON.parse(text);
    expect(code).toBe('PATH_UNKNOWN');
    expect(message).toMatch(
      /^This is the base of the service: .* at http:\S+\/openapi\.json, the console at http:\S+\/_iam\/console\/\.$/,
    );
  });

  test.each([
    '%zz',
    '%',
    '%0',
    '%00',
    'a%00b',
    '%c3%28',
    '%ff',
    '%0d%0aX-A:b',
    '%ed%a0%80',
    'x'.repeat(101),
    '%1b[31m',
  ])('with the impossible value %j is 404', async (value) => {
    expectFailure(await sendRequest('GET', `${groups}/${value}`), 404, 'PATH_VALUE');
  });

  test.each([
    '%2e%2e',
    '..',
    '%2e',
    '.',
    '%2E%2e%2fkeys',
    'a%2fb',
    'toString',
    '__proto__',
    'constructor',
    '%27%20OR%201=1',
    '*',
  ])('with the unusual value %j is an unknown group', async (value) => {
    expectFailure(await sendRequest('GET', `${groups}/${value}`), 404, 'GROUP_NOT_FOUND');
  });

  test('reveals nothing about existing objects without credentials', async () => {
    for (const value of ['ops', 'unknown-group', '%zz'])
      expectFailure(await sendRequest('GET', `${groups}/${value}`, []), 401, 'CREDENTIALS_MISSING');
  });
});

describe('a method', () => {
  test.each(['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'PURGE', 'SEARCH'])(
    '%s is 405 on a path that does not support it, with the supported methods',
    async (method) => {
      for (const lines of [[], [basic]]) {
        const response = await sendRequest(method, groups, lines);
        expectFailure(response, 405, 'METHOD_NOT_ALLOWED');
        expect(response.headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
      }
    },
  );

  test('is not listed if the path supports none', async () => {
    expectFailure(await sendRequest('TRACE', '/unknown'), 404, 'PATH_UNKNOWN');
    expectFailure(await sendRequest('DELETE', `${servicePrefix}/unknown`), 404, 'PATH_UNKNOWN');
  });

  test('Allow lists the methods of the exact path', async () => {
    const allowed = async (method: string, path: string) => (await sendRequest(method, path)).headers.allow;
    expect((await allowed('POST', `${groups}/ops`))?.split(', ').sort()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'OPTIONS',
      'PUT',
    ]);
    expect(await allowed('POST', `${servicePrefix}/keys`)).toBe('GET, HEAD, OPTIONS');
    expect(await allowed('POST', '/healthz')).toBe('GET, HEAD');
    expect(await allowed('DELETE', '/.well-known/jwks.json')).toMatch(/^GET, HEAD/);
  });

  test('cannot be overridden by a header or query parameter', async () => {
    const response = await sendRequest('GET', `${groups}/ops?_method=DELETE`, [
      basic,
      'X-HTTP-Method-Override: DELETE',
      'X-Method-Override: DELETE',
    ]);
    expect(response.status).toBe(200);
    expect((await sendRequest('GET', `${groups}/ops`)).status).toBe(200);
  });

  test.each([
    `${groups}/ops`,
    groups,
    `${servicePrefix}/keys`,
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
  ])('HEAD on %s is GET without the body', async (path) => {
    const getResponse = await sendRequest('GET', path);
    const headResponse = await sendRequest('HEAD', path);
    expect(headResponse.text).toBe('');
    const comparable = ({ status, headers: { date: _date, 'x-request-id': _id, ...headers } }: RawResponse) => ({
      status,
      headers,
    });
    expect(comparable(headResponse)).toEqual(comparable(getResponse));
    expect(Number(headResponse.headers['content-length'])).toBe(Buffer.byteLength(getResponse.text));
  });

  test('HEAD has no body for errors either', async () => {
    const rejected = await sendRequest('HEAD', groups, []);
    expect(rejected).toMatchObject({ status: 401, text: '' });
    expect(rejected.headers['www-authenticate']).toBe('Bearer realm="iam"');
  });
});

test('every response has a request id and a content type and is not cacheable', async () => {
  const ids = new Set<string | undefined>();
  const targets = ['/healthz', groups, `${groups}/ops`, `${groups}/unknown-group`, '/unknown', `${servicePrefix}/keys`];
  for (const target of targets)
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { headers } = await sendRequest(method, target);
      ids.add(headers['x-request-id']);
      expect([target, method, headers['x-content-type-options'], headers['cache-control']]).toEqual([
        target,
        method,
        'nosniff',
        'no-store',
      ]);
      if (headers['content-type']) expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }
  expect(ids.size).toBe(targets.length * 3);
  expect([...ids].every((id) => /^[0-9a-f]{12}-[0-9a-z]+$/.test(id ?? ''))).toBe(true);
});

test('ignores a request id sent by the caller', async () => {
  const { headers } = await sendRequest('GET', '/healthz', ['X-Request-Id: mine']);
  expect(headers['x-request-id']).not.toBe('mine');
});
