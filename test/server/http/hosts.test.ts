/** Host validation against DNS rebinding: checked on every path, before anything else. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import { adminClient, startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { send } from '../control/control-client.ts';

type Flags = NonNullable<TestServerOptions['flags']>;

const everywhere = [
  '/',
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
  `${servicePrefix}/groups`,
];
const control = ['/_iam/users', '/metrics'];
const addresses = ['127.0.0.1', '10.1.2.3:30080', '[::1]', '[fd00::1]:8080', 'localhost', 'LOCALHOST:9', 'a.localhost'];
const otherHosts = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'xlocalhost',
  'localhost.',
  '1.2.3',
  '0x7f.1',
  '2130706433',
  '[::g]',
];
const headers = {
  Authorization: `Basic ${Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64')}`,
};

/** Tests use the port of the base URL. */
async function reachable(flags: Flags): Promise<Flags> {
  const port = String(await freePort());
  const { 'base-url': baseUrl } = flags;
  return { ...flags, port, ...(baseUrl === undefined ? {} : { 'base-url': `${baseUrl}:${port}` }) };
}

async function statuses(server: TestServer, hosts: readonly string[], paths: readonly string[]): Promise<Set<number>> {
  const found = new Set<number>();
  for (const Host of hosts)
    for (const path of paths) found.add((await send(server, path, { headers: { ...headers, Host } })).status);
  return found;
}

const remote = { host: '0.0.0.0', 'allow-remote': true };
const kinds: [string, Flags, { served: string[]; rejected: string[] }][] = [
  ['a loopback-only server', {}, { served: addresses, rejected: otherHosts.slice(0, 8) }],
  [
    'one with a base URL',
    { 'base-url': 'https://IAM.example' },
    {
      served: [...addresses, 'iam.example', 'Iam.Example:1'],
      rejected: [...otherHosts.slice(0, 8), 'www.iam.example'],
    },
  ],
  [
    'a server with allowed hosts',
    { 'allowed-host': 'host.docker.internal, Other' },
    { served: [...addresses, 'host.docker.internal:8080', 'other'], rejected: otherHosts.slice(0, 8) },
  ],
  ['a remotely reachable server', remote, { served: [...addresses, ...otherHosts.slice(0, 8)], rejected: [] }],
  [
    'a remotely reachable server with allowed hosts',
    { ...remote, 'allowed-host': 'iam.example' },
    { served: [...addresses, 'iam.example'], rejected: otherHosts.slice(0, 8) },
  ],
];

describe.each(kinds)('%s', (_name, flags, { served, rejected }) => {
  test('accepts its own names and rejects all others', async () => {
    await using server = await startServer({ flags: await reachable(flags) });
    expect(await statuses(server, served, everywhere)).toEqual(new Set([200]));
    if (rejected.length > 0)
      expect(await statuses(server, rejected, [...everywhere, ...control])).toEqual(new Set([421]));
  });
});

test('a request for another host name changes nothing, creates no sandbox and gets no preflight response', async () => {
  await using server = await startServer();
  const before = await server.dump();
  const Host = 'evil.example';
  const create = { method: 'POST', headers: { ...headers, Host }, body: { groupName: 'x' } };
  const preflight = { Host, Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'POST' };
  for (const at of ['', '/s/new']) {
    expect(await send(server, `${at}${servicePrefix}/groups`, create)).toMatchObject({
      status: 421,
      body: [{ code: 'HOST_FOREIGN' }],
    });
    const response = await send(server, `${at}${servicePrefix}/groups`, { method: 'OPTIONS', headers: preflight });
    expect(response.status).toBe(421);
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  }
  expect(await server.dump()).toEqual(before);
  expect(server.appContext.sandboxes.list()).toEqual([]);
});

test('the local control plane accepts loopback names and allowed hosts only', async () => {
  const flags = await reachable({ 'base-url': 'https://iam.example', 'allowed-host': 'host.docker.internal' });
  await using server = await startServer({ flags });
  expect(await statuses(server, ['localhost:1', '[::1]', 'a.localhost', 'host.docker.internal:80'], control)).toEqual(
    new Set([200]),
  );
  expect(await statuses(server, ['iam.example', '10.1.2.3', '0.0.0.0', '[fd00::1]'], control)).toEqual(new Set([421]));
  const page = (origin: string) => ({ headers: { Host: 'host.docker.internal:8080', Origin: origin } });
  expect((await send(server, '/_iam/users', page('http://host.docker.internal:8080'))).status).toBe(200);
  expect((await send(server, '/_iam/users', page('http://host.docker.internal:3000'))).status).toBe(403);
});

test('a proxy on this machine does not open the control plane to other hosts', async () => {
  await using server = await startServer({ flags: { 'trusted-proxies': '127.0.0.1' } });
  const forwarded = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  expect(await send(server, '/_iam/users', forwarded('203.0.113.7'))).toMatchObject({
    status: 403,
    body: [{ code: 'ORIGIN_FOREIGN' }],
  });
  expect(await send(server, '/s/one/healthz', forwarded('203.0.113.7'))).toMatchObject({ status: 404 });
  expect(await send(server, '/_iam/users', forwarded('127.0.0.1'))).toMatchObject({ status: 200 });
});
