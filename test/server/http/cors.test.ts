/** CORS: which origins are allowed, what a preflight returns, and that a preflight needs no credentials. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { sharedServer } from '../operations/access.ts';
import { buildHead, send } from './raw-http.ts';

const groups = `${servicePrefix}/groups`;

async function callFrom(
  server: TestServer,
  origin: string,
  { method = 'OPTIONS', path = groups, lines = [] as string[] } = {},
) {
  const { status, headers, text } = await send(
    server,
    buildHead(`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', `Origin: ${origin}`, ...lines),
  );
  return { status, text, allowed: headers['access-control-allow-origin'], headers };
}

const preflight = {
  lines: ['Access-Control-Request-Method: PUT', 'Access-Control-Request-Headers: authorization,x-custom'],
};

describe('without a setting', () => {
  test('responds to a preflight from a loopback origin, without credentials', async () => {
    await using server = await startServer();
    for (const origin of [
      'http://localhost:3000',
      'http://127.0.0.1',
      'https://127.8.9.1:1',
      'http://[::1]:5173',
      'http://app.localhost:80',
    ]) {
      const { status, text, allowed, headers } = await callFrom(server, origin, preflight);
      expect([status, text, allowed]).toEqual([204, '', origin]);
      expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
      expect(headers['access-control-allow-headers']).toBe('authorization,x-custom');
      expect(headers.vary).toBe('Origin');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  const otherOrigins = [
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example#localhost',
    'null',
    'http://127.0.0.1.evil.example',
    'file://',
    'http://10.0.0.1',
    'ftp://localhost',
    'localhost',
    'http://localhostx',
    'http://user@evil.example',
    '*',
    '',
  ];
  const shared = sharedServer();
  test.each(otherOrigins)('rejects the unlisted origin %j', async (origin) => {
    const server = shared();
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await callFrom(server, origin, { ...preflight, method });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.vary).toBe('Origin');
    }
  });

  test('responses, including errors, are readable for an allowed origin', async () => {
    await using server = await startServer();
    const origin = 'http://localhost:3000';
    for (const path of [
      groups,
      `${servicePrefix}/keys`,
      `${servicePrefix}/unknown`,
      '/.well-known/jwks.json',
      '/.well-known/openid-configuration',
    ]) {
      const { allowed, headers } = await callFrom(server, origin, { method: 'GET', path });
      expect([path, allowed]).toEqual([path, origin]);
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
    }
  });

  test('paths outside the API and its keys are not readable for any origin', async () => {
    await using server = await startServer();
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/', servicePrefix]) {
      const { allowed, status } = await callFrom(server, 'http://localhost:3000', { ...preflight, path });
      expect([path, allowed]).toEqual([path, undefined]);
      expect([404, 405]).toContain(status);
    }
  });
});

test('a page of this machine can use the control plane, and pages elsewhere cannot', async () => {
  await using server = await startServer();
  const json = { lines: ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: content-type'] };
  for (const path of ['/_iam/faults', '/_iam/state/reset', '/s/one/_iam/clock']) {
    expect(await callFrom(server, 'http://localhost:3000', { ...json, path })).toMatchObject({
      status: 204,
      allowed: 'http://localhost:3000',
    });
    const foreign = await callFrom(server, 'https://app.example', { ...json, path });
    expect([foreign.status, foreign.allowed]).toEqual([403, undefined]);
  }
  const read = await callFrom(server, 'http://localhost:3000', { method: 'GET', path: '/_iam/faults' });
  expect([read.status, read.allowed]).toEqual([200, 'http://localhost:3000']);
  await using remote = await startServer({ flags: { 'allow-remote': true } });
  expect((await callFrom(remote, 'http://localhost:3000', { ...json, path: '/_iam/faults' })).allowed).toBeUndefined();
});

test('OPTIONS without an origin lists the allowed methods', async () => {
  await using server = await startServer();
  const response = await send(server, buildHead(`OPTIONS ${groups} HTTP/1.1`, 'Host: localhost', 'Connection: close'));
  expect(response).toMatchObject({ status: 204, text: '' });
  expect(response.headers.allow).toContain('GET');
});

test('with a setting, only the listed origins are allowed', async () => {
  await using server = await startServer({
    flags: { 'cors-origins': 'https://app.example, http://other.example:8080' },
  });
  for (const origin of ['https://app.example', 'http://other.example:8080'])
    expect(await callFrom(server, origin, preflight)).toMatchObject({ status: 204, allowed: origin });
  for (const origin of [
    'http://localhost:3000',
    'http://app.example',
    'https://app.example.evil',
    'http://other.example',
    'https://app.example:443',
    'HTTPS://APP.EXAMPLE',
  ])
    expect((await callFrom(server, origin, preflight)).allowed).toBeUndefined();
});
