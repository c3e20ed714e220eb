/** CSRF: the requests that a page can make a browser send to the control plane, and which of them reach a route. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxSandboxes } from '../../../src/server/sandboxes/sandboxes.ts';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { send } from './control-client.ts';

const evil = 'https://evil.example';
const image = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
const basic = {
  Authorization: `Basic ${Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64')}`,
};
const forbidden = (code: string) => ({ status: 403, body: [{ code }] });

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const kid = () => server.appContext.keys.current().kid;

/** Rotates the signing key, which shows whether the handler ran. */
async function rotate(headers: Record<string, string>) {
  const before = kid();
  const response = await send(server, '/_iam/keys/rotate', { method: 'POST', headers });
  return { ...response, ran: kid() !== before };
}

describe('images on a page of another site', () => {
  test('create no sandbox, however many there are', async () => {
    const paths = Array.from({ length: maxSandboxes + 1 }, (_, number) => `/s/x${number}/`);
    const responses = await Promise.all(paths.map((path) => send(server, path, { headers: image })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]));
    expect(server.appContext.sandboxes.list()).toEqual([]);
    expect(await send(server, '/s/own/')).toMatchObject({ status: 200 });
    server.appContext.sandboxes.delete('own');
  });

  test.each(['cross-site', 'same-site', 'cross-site, same-origin', 'unknown', ''])(
    'read nothing of the control plane: Sec-Fetch-Site %j',
    async (site) => {
      const headers = { ...image, 'Sec-Fetch-Site': site };
      for (const path of ['/_iam/users', '/_iam/state/export', '/metrics', '/_iam/docs', '/_iam/nothing'])
        expect(await send(server, path, { headers })).toMatchObject(forbidden('ORIGIN_FOREIGN'));
      expect(await send(server, '/_iam/users', { method: 'HEAD', headers })).toMatchObject({ status: 403 });
    },
  );
});

describe('a link on another site', () => {
  test('leads to the page of the API documents only', async () => {
    expect((await send(server, '/_iam/docs', { headers: link })).status).toBe(200);
    for (const path of ['/_iam/docs/page.js', '/_iam/openapi.json', '/_iam/users', '/_iam/state/export', '/metrics'])
      expect(await send(server, path, { headers: link })).toMatchObject(forbidden('ORIGIN_FOREIGN'));
  });

  test.each([
    { ...link, 'Sec-Fetch-Dest': 'iframe' },
    { ...link, 'Sec-Fetch-Mode': 'no-cors' },
    { ...link, Origin: evil },
    { ...link, Origin: 'null' },
  ])('works only as a top-level navigation: %j', async (headers) => {
    expect(await send(server, '/_iam/docs', { headers })).toMatchObject(forbidden('ORIGIN_FOREIGN'));
  });

  test('leads to the page of an existing sandbox and creates none', async () => {
    expect(await send(server, '/s/linked/_iam/docs', { headers: link })).toMatchObject({ status: 404 });
    expect(server.appContext.sandboxes.list()).toEqual([]);
    await server.appContext.sandboxes.open('linked', true);
    expect((await send(server, '/s/linked/_iam/docs', { headers: link })).status).toBe(200);
    expect(await send(server, '/s/linked/_iam/users', { headers: link })).toMatchObject(forbidden('ORIGIN_FOREIGN'));
    server.appContext.sandboxes.delete('linked');
  });

  test('serves an address typed by the user', async () => {
    const headers = { ...link, 'Sec-Fetch-Site': 'none', 'Sec-Fetch-User': '?1' };
    for (const path of ['/_iam/docs', '/_iam/users', '/s/typed/'])
      expect((await send(server, path, { headers })).status).toBe(200);
    server.appContext.sandboxes.delete('typed');
  });
});

describe('a page that changes something', () => {
  const own = { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' };
  const pages: [string, Record<string, string>][] = [
    ['of another port', own],
    ['of this server', { Origin: 'http://127.0.0.1', 'Sec-Fetch-Site': 'same-origin' }],
    ['without Fetch Metadata', { Origin: 'http://localhost:3000' }],
    ['without Origin', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }],
    ['with only Sec-Fetch-Dest', { 'Sec-Fetch-Dest': 'empty' }],
    ['with only another Sec-Fetch-Mode', { 'Sec-Fetch-Mode': 'no-cors' }],
  ];
  const formTypes = [
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain; application/json',
    'text/plain;charset=application/json',
    'application/csp-report',
    'application/json-patch',
    '',
  ];

  test.each(pages)('%s: is rejected without a header that no form can send', async (_name, page) => {
    expect(await rotate(page)).toMatchObject({ ...forbidden('CSRF_HEADER_MISSING'), ran: false });
    for (const type of formTypes)
      expect(await rotate({ ...page, 'Content-Type': type })).toMatchObject({
        ...forbidden('CSRF_HEADER_MISSING'),
        ran: false,
      });
    expect(await rotate({ ...page, 'X-Requested-With': '' })).toMatchObject({ status: 403, ran: false });
  });

  test.each(pages)('%s: is served with this header', async (_name, page) => {
    expect(await rotate({ ...page, 'X-Requested-With': 'XMLHttpRequest' })).toMatchObject({ status: 200, ran: true });
    expect(await rotate({ ...page, 'Content-Type': 'Application/JSON; charset=utf-8' })).toMatchObject({
      status: 200,
      ran: true,
    });
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'POST'])('%s needs it on every path', async (method) => {
    const before = await server.dump();
    for (const path of ['/_iam/clock', '/_iam/inbox', '/_iam/sessions?userId=x', '/_iam/state/reset', '/_iam/nothing'])
      expect(await send(server, path, { method, headers: own })).toMatchObject(forbidden('CSRF_HEADER_MISSING'));
    expect(await server.dump()).toEqual(before);
  });

  test.each([
    { Origin: evil },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1', 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ])('of another site is rejected whatever it sends: %j', async (page) => {
    for (const header of [{}, { 'X-Requested-With': 'x' }, { 'Content-Type': 'application/json' }])
      expect(await rotate({ ...page, ...header })).toMatchObject({ ...forbidden('ORIGIN_FOREIGN'), ran: false });
  });
});

test('non-browser clients such as curl and fetch in Node need no such header', async () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const headers of [{}, form, { 'Sec-Fetch-Mode': 'cors' }])
    expect(await rotate(headers)).toMatchObject({ status: 200, ran: true });
  expect((await fetch(`${server.url}/_iam/keys/rotate`, { method: 'POST' })).status).toBe(200);
});

describe('on a remotely reachable server', () => {
  let remote: TestServer;
  beforeAll(async () => {
    const port = String(await freePort());
    const flags = { host: '0.0.0.0', 'allow-remote': true, port, 'base-url': `https://iam.example:${port}` };
    remote = await startServer({ flags });
  });
  afterAll(() => remote[Symbol.asyncDispose]());

  test('credentials that a browser sends automatically do not help a page of another site', async () => {
    const before = remote.appContext.keys.current().kid;
    const pages = [{ Origin: evil }, { Origin: 'null' }, { Origin: 'http://localhost:3000' }, image];
    for (const page of pages)
      expect(
        await send(remote, '/_iam/keys/rotate', {
          method: 'POST',
          headers: { ...basic, ...page, 'X-Requested-With': 'x' },
        }),
      ).toMatchObject(forbidden('ORIGIN_FOREIGN'));
    expect(remote.appContext.keys.current().kid).toBe(before);
  });

  test('serves its own page, by Host and by base URL', async () => {
    const own = [
      { Host: 'iam.example:8443', Origin: 'https://iam.example:8443' },
      { Host: 'backend:8080', Origin: new URL(remote.url).origin },
    ];
    for (const page of own) {
      const sendRequest = (header: Record<string, string>) =>
        send(remote, '/_iam/keys/rotate', { method: 'POST', headers: { ...basic, ...page, ...header } });
      expect(await sendRequest({})).toMatchObject(forbidden('CSRF_HEADER_MISSING'));
      expect(await sendRequest({ 'X-Requested-With': 'XMLHttpRequest' })).toMatchObject({ status: 200 });
    }
  });

  test('credentials entered for the page do not apply to other parts of the server', async () => {
    const page = await send(remote, '/_iam/docs');
    expect(page.headers['www-authenticate']).toBe('Basic realm="iam control plane", charset="UTF-8"');
  });
});
