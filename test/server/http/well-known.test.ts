/** The root of a server: the entry point for clients that know only its address. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';

const browser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const links = (base: string) => ({
  name: 'iam-standin',
  interface: `${base}/security/iam/v1`,
  console: `${base}/_iam/console/`,
  docs: `${base}/_iam/docs`,
  openapi: `${base}/openapi.json`,
  health: `${base}/healthz`,
});

test.each(['', '/s/root-test'])('links a program to the API, below %j', async (below) => {
  const { status, headers, body } = await send(server, `${below}/`);
  expect([status, headers.vary]).toEqual([200, 'Accept']);
  expect(body).toMatchObject(links(server.url + below));
  for (const each of ['openapi', 'health', 'console', 'docs'] as const) {
    const link = links(below)[each];
    expect((await send(server, link)).status, link).toBe(200);
  }
});

test.each(['', '/s/root-test'])('redirects a browser to the console, below %j', async (below) => {
  const { status, headers } = await send(server, `${below}/`, browser);
  expect(status).toBe(302);
  const target = new URL(String(headers.location), `${server.url}${below}/`);
  expect(target.href).toBe(`${server.url}${below}/_iam/console/`);
  expect((await send(server, target.pathname, browser)).headers['content-type']).toContain('text/html');
});

test('does not redirect to a missing page', async () => {
  await using off = await startServer({ flags: { 'disable-control-plane': true } });
  const { status, body } = await send(off, '/', browser);
  expect(status).toBe(200);
  expect(body).not.toHaveProperty('console');
  expect(body).not.toHaveProperty('docs');
});

test('leaves the paths of the interface unchanged, also for a browser', async () => {
  for (const path of ['/security/iam/v1', '/security/iam/v1/', '/unknown'])
    expect(await send(server, path, browser)).toMatchObject({ status: 404, body: [{ code: 'PATH_UNKNOWN' }] });
  expect(await send(server, '/', { method: 'POST' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});
