import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect } from 'vitest';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { CliSettings } from '../../../src/cli/config/settings.ts';
import { resolveProxy } from '../../../src/cli/http/network.ts';
import { type Authority, type CertificatePair, createTlsAuthority } from '../../client/certificates.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { type CliResult, type Home, iam, test } from '../run-cli.ts';

const list = ['groups', 'list', '-o', 'json'];

let authority: Authority;
let forServer: CertificatePair;

beforeAll(() => {
  authority = createTlsAuthority('test authority');
  forServer = authority.issue('server', ['127.0.0.1', 'iam.example.test']);
});

interface Listening extends AsyncDisposable {
  readonly port: number;
}

interface Listener {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
  close(): unknown;
}

/** Listens on a free port; `sockets` are destroyed at the end of the test. */
async function listening(server: Listener, sockets: ReadonlySet<Socket> = new Set()): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A TLS server that returns the client certificate. */
async function secureServer(options: ServerOptions = {}) {
  const seen: (string | undefined)[] = [];
  const server = createServer({ ...forServer, ...options }, (request, response) => {
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
    seen.push(Array.isArray(CN) ? CN[0] : CN);
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  return Object.assign(await listening(server), { seen });
}

/** A proxy that connects every host to one local port. */
async function proxy(to: number, response = 'HTTP/1.1 200 Connection established\r\n\r\n') {
  const connects: { readonly url: string; readonly authorization: string | undefined; readonly text: string[] }[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpServer((_, response) => response.writeHead(501).end());
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const text: string[] = [];
    connects.push({ url: request.url ?? '', authorization: request.headers['proxy-authorization'], text });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(response);
    if (!response.includes(' 200 ')) return void socket.end();
    const target = connect(to, '127.0.0.1');
    sockets.add(target);
    target.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => text.push(chunk.toString('latin1')));
    socket.pipe(target).pipe(socket);
  });
  return Object.assign(await listening(server, sockets), { connects });
}

/** With a token, at this address. */
function at(url: string, words: readonly string[] = [], variables: Record<string, string> = {}): Promise<CliResult> {
  return iam([...list, ...words], { url, variables: { IAM_TOKEN: 'the-token', ...variables } });
}

async function files(home: Home, pair: CertificatePair): Promise<{ ca: string; cert: string; key: string }> {
  const files = { ca: home.file('ca.pem'), cert: home.file('cert.pem'), key: home.file('key.pem') };
  await writeFile(files.ca, authority.cert);
  await writeFile(files.cert, pair.cert);
  await writeFile(files.key, pair.key);
  return files;
}

describe('a custom certificate authority', () => {
  test('is trusted if configured, and suggested in a hint otherwise', async ({ home }) => {
    await using server = await secureServer();
    const { ca } = await files(home, forServer);
    const url = `https://127.0.0.1:${server.port}`;
    const outcome = await at(url);
    expect(outcome).toMatchObject({ code: 70, out: '' });
    expect(outcome.err).toContain('--ca-file');
    expect(server.seen).toEqual([]);
    expect((await at(url, ['--ca-file', ca])).code).toBe(0);
    expect((await at(url, [], { IAM_CA_FILE: ca })).code).toBe(0);
    await saveProfile('p', { baseUrl: url, token: 't', caFile: ca }, home.variables);
    expect((await home.iam(list)).code).toBe(0);
  });

  test('does not replace those of NODE_EXTRA_CA_CERTS', async ({ home }) => {
    const other = home.file('other.pem');
    await using server = await secureServer();
    const { ca } = await files(home, forServer);
    await writeFile(other, createTlsAuthority('another').cert);
    const url = `https://127.0.0.1:${server.port}`;
    expect((await at(url, ['--ca-file', other])).code).toBe(70);
    expect((await at(url, ['--ca-file', other], { NODE_EXTRA_CA_CERTS: ca })).code).toBe(0);
  });

  test('does not accept another host name', async ({ home }) => {
    const { ca } = await files(home, forServer);
    await using server = await secureServer(authority.issue('x', ['elsewhere.example.test']));
    expect((await at(`https://127.0.0.1:${server.port}`, ['--ca-file', ca])).code).toBe(70);
  });

  test.each([
    ['/nonexistent/ca.pem', 'file not found'],
    ['package.json', 'no PEM certificate'],
  ])('%s is a usage error', async (file, message) => {
    const outcome = await at('https://127.0.0.1:9', ['--ca-file', file]);
    expect(outcome.code).toBe(2);
    expect(outcome.err).toContain(message);
  });
});

describe('a client certificate', () => {
  test('is sent to a server that requests one', async ({ home }) => {
    const { ca, cert, key } = await files(home, authority.issue('operator'));
    await using server = await secureServer({ ca: [authority.cert], requestCert: true, rejectUnauthorized: true });
    const url = `https://127.0.0.1:${server.port}`;
    expect((await at(url, ['--ca-file', ca])).code).toBe(75);
    expect((await at(url, ['--ca-file', ca, '--client-cert', cert, '--client-key', key])).code).toBe(0);
    expect(server.seen).toEqual(['operator']);
  });

  test('requires its key', async () => {
    const outcome = await at('https://127.0.0.1:9', ['--client-cert', 'package.json']);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('--client-key') });
  });
});

describe('a proxy', () => {
  const host = 'iam.example.test';

  test('from the environment tunnels https, and sees neither token nor path', async ({ home }) => {
    await using server = await secureServer();
    const { ca } = await files(home, forServer);
    await using through = await proxy(server.port);
    const variables = { IAM_CA_FILE: ca };
    const url = `https://${host}`;
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'IAM_PROXY'])
      expect((await at(url, [], { ...variables, [name]: `http://127.0.0.1:${through.port}` })).code).toBe(0);
    expect(through.connects.map(({ url }) => url)).toEqual([`${host}:443`, `${host}:443`, `${host}:443`]);
    expect(through.connects.flatMap(({ text }) => text).join('')).not.toMatch(/the-token|groups/);
    expect(server.seen).toHaveLength(3);
  });

  test('tunnels http as well, and gets its own user name and password, not the token', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await using through = await proxy(Number(new URL(server.url).port));
    const address = `http://me:pass%20word@127.0.0.1:${through.port}`;
    expect((await at(`http://${host}:8080`, ['--insecure-http', '--proxy', address])).code).toBe(0);
    expect(through.connects).toMatchObject([{ url: `${host}:8080`, authorization: `Basic ${btoa('me:pass word')}` }]);
    expect(server.received[0]?.headers).toMatchObject({ authorization: 'Bearer the-token' });
    expect(server.received[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('is not used for this machine, unless set with the option', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await using through = await proxy(Number(new URL(server.url).port));
    const address = `http://127.0.0.1:${through.port}`;
    const variables = { HTTP_PROXY: address, http_proxy: address, IAM_PROXY: address };
    expect((await at(server.url, [], variables)).code).toBe(0);
    expect(through.connects).toEqual([]);
    expect((await at(server.url, ['--proxy', address])).code).toBe(0);
    expect(through.connects).toHaveLength(1);
  });

  test.each([
    ['rejects', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 70],
    ['closes the connection', 'HTTP/1.1 ', 75],
  ])('that %s is reported in the error, without its password', async (_, response, code) => {
    await using through = await proxy(9, response);
    const outcome = await at(`http://${host}`, [
      '--insecure-http',
      '--proxy',
      `http://me:canary@127.0.0.1:${through.port}`,
      '--timeout',
      '2',
    ]);
    expect(outcome).toMatchObject({ code, out: '' });
    expect(outcome.err).toContain(`The proxy http://127.0.0.1:${through.port}`);
    expect(outcome.err).not.toContain('canary');
  });

  test('that cannot be reached is named', async () => {
    const outcome = await at(`https://${host}`, ['--proxy', 'http://127.0.0.1:9', '--timeout', '2']);
    expect(outcome).toMatchObject({ code: 75, err: expect.stringContaining('refused the connection') });
  });
});

describe('proxy selection', () => {
  const none = { profiles: {} };
  const find = (baseUrl: string, variables: Record<string, string>) =>
    resolveProxy(new CliSettings({ options: {}, variables, file: none }), baseUrl);
  const address = 'http://proxy.example:3128';

  test.each([
    ['https://iam.example.com', { HTTPS_PROXY: address }, true],
    ['https://iam.example.com', { HTTP_PROXY: address }, false],
    ['http://iam.example.com', { HTTP_PROXY: address }, true],
    ['https://iam.example.com', { HTTPS_PROXY: address, NO_PROXY: 'iam.example.com' }, false],
    ['https://iam.example.com', { HTTPS_PROXY: address, no_proxy: 'other, .example.com' }, false],
    ['https://iam.example.com', { HTTPS_PROXY: address, NO_PROXY: 'example.com' }, false],
    ['https://iam.example.com', { HTTPS_PROXY: address, NO_PROXY: 'ample.com' }, true],
    ['https://iam.example.com', { IAM_PROXY: address, NO_PROXY: '*' }, false],
    ['https://iam.example.com:8443', { IAM_PROXY: address, NO_PROXY: 'iam.example.com:443' }, true],
    ['https://iam.example.com', { IAM_PROXY: address, NO_PROXY: 'iam.example.com:443' }, false],
    ['https://[2001:db8::1]', { HTTPS_PROXY: address, NO_PROXY: '2001:db8::1' }, false],
    ['https://[2001:db8::1]', { HTTPS_PROXY: address, NO_PROXY: '[2001:DB8:0::1]' }, false],
    ['https://[2001:db8::1]:8443', { HTTPS_PROXY: address, NO_PROXY: 'other,[2001:db8::1]:8443' }, false],
    ['https://[2001:db8::1]', { HTTPS_PROXY: address, NO_PROXY: '[2001:db8::1]:8443' }, true],
    ['https://[2001:db8::1]', { HTTPS_PROXY: address, NO_PROXY: 'fe80::1%eth0 2001:db8::2' }, true],
    ['https://localhost:8443', { HTTPS_PROXY: address }, false],
    ['http://[::1]:8080', { HTTP_PROXY: address }, false],
    ['http://127.9.9.9', { HTTP_PROXY: address }, false],
    ['http://127.0.0.1.example.com', { HTTP_PROXY: address }, true],
  ])('for %s with %j: %s', (baseUrl, variables, isOne) => {
    expect(find(baseUrl, variables)).toBe(isOne ? address : undefined);
  });

  test('that is not a URL is a usage error', async () => {
    expect((await at('https://iam.example.test', ['--proxy', 'localhost:3128'])).code).toBe(2);
  });
});

test('the token is not sent to a redirect target', async () => {
  await using thief = await startFakeServer(() => ({ json: [] }));
  for (const status of [301, 302, 307, 308]) {
    await using server = await startFakeServer(() => ({ status, headers: { location: `${thief.url}/groups` } }));
    const outcome = await at(server.url);
    expect(outcome.code).not.toBe(0);
    expect(outcome.out).toBe('');
    expect(
      (await iam(['groups', 'create', '--group-name', 'x'], { url: server.url, variables: { IAM_TOKEN: 't' } })).code,
    ).not.toBe(0);
  }
  expect(thief.received).toEqual([]);
});

test('a profile stores connection settings, with absolute file paths', async ({ home }) => {
  const options = ['--proxy', 'http://proxy.example', '--ca-file', 'package.json'];
  expect((await home.iam(['profile', 'add', 'p', '--base-url', 'http://x', ...options])).code).toBe(0);
  const text = await readFile(home.file('config/iam/config.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    profiles: { p: { proxy: 'http://proxy.example', caFile: `${process.cwd()}/package.json` } },
  });
});
