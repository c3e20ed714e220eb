/** Malformed HTTP requests: the standard error response, a closed connection, and a server that keeps running. */
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { rounds } from '../../effort.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import {
  buildHead,
  exchange,
  expectAlive,
  expectFailure,
  open,
  parseResponses,
  readUntilClosed,
  send,
} from './raw-http.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const login = `POST ${servicePrefix}/client-identities/login HTTP/1.1`;

describe('a malformed request after others in one write', () => {
  const health = buildHead('GET /healthz HTTP/1.1', 'Host: localhost');
  const { clientId, clientSecret } = adminClient;
  const basic = `Authorization: Basic ${btoa(`${clientId}:${clientSecret}`)}`;
  const signIn = buildHead(login, 'Host: localhost', basic, 'Content-Length: 0');

  test.each([
    ['an unknown method', 'G@RB\r\n\r\n', 400],
    ['a tunnel', buildHead('CONNECT a:1 HTTP/1.1', 'Host: a'), 405],
    ['an invalid chunk', `${buildHead(login, 'Host: localhost', 'Transfer-Encoding: chunked')}zz\r\n`, 400],
  ])('%s gets its response after theirs', async (_, broken, status) => {
    const responses = await exchange(server, `${health}${signIn}${broken}`);
    expect(responses.map((response) => response.status)).toEqual([200, 200, status]);
    await expectAlive(server);
  });
});

describe('a malformed request', () => {
  const broken: [string, string][] = [
    ['no request line', 'hello\r\n\r\n'],
    ['blanks in the target', buildHead('GET /a b HTTP/1.1', 'Host: localhost')],
    ['an unknown method', buildHead('FETCH / HTTP/1.1', 'Host: localhost')],
    ['a method in lower case', buildHead('get / HTTP/1.1', 'Host: localhost')],
    ['an unknown protocol', buildHead('GET / HTTQ/1.1', 'Host: localhost')],
    ['an invalid version', buildHead('GET / HTTP/1.x', 'Host: localhost')],
    [
      'both Content-Length and chunked coding',
      `${buildHead(login, 'Host: localhost', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['two lengths', `${buildHead(login, 'Host: localhost', 'Content-Length: 2', 'Content-Length: 3')}{}`],
    ['two lengths in one', `${buildHead(login, 'Host: localhost', 'Content-Length: 2, 3')}{}`],
    ['a negative length', buildHead(login, 'Host: localhost', 'Content-Length: -1')],
    ['a non-numeric length', buildHead(login, 'Host: localhost', 'Content-Length: 0x10')],
    ['an oversized length', buildHead(login, 'Host: localhost', `Content-Length: ${'9'.repeat(30)}`)],
    ['chunks that are not the last coding', buildHead(login, 'Host: localhost', 'Transfer-Encoding: chunked, gzip')],
    ['an unknown coding', buildHead(login, 'Host: localhost', 'Transfer-Encoding: xchunked')],
    ['line feeds alone', 'GET / HTTP/1.1\nHost: localhost\n\n'],
    ['a line feed alone before the end', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n\r\n'],
    ['a blank before the colon', 'GET / HTTP/1.1\r\nHost : here\r\n\r\n'],
    ['a header without a name', buildHead('GET / HTTP/1.1', 'Host: localhost', ': x')],
    ['a header without a colon', buildHead('GET / HTTP/1.1', 'Host: localhost', 'X-A')],
    ['a zero byte in a header', buildHead('GET / HTTP/1.1', 'Host: localhost', 'X-A: a\0b')],
    ['a carriage return in a header', buildHead('GET / HTTP/1.1', 'Host: localhost', 'X-A: a\rb')],
    ['a chunk with an invalid size', `${buildHead(login, 'Host: localhost', 'Transfer-Encoding: chunked')}zz\r\n`],
    [
      'a chunk longer than its declared size',
      `${buildHead(login, 'Host: localhost', 'Transfer-Encoding: chunked')}1\r\nabcdef\r\n0\r\n\r\n`,
    ],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ];
  test.each(broken)('(%s) is rejected with 400', async (_what, bytes) => {
    const responses = await exchange(server, Buffer.from(bytes, 'latin1'));
    // The error for a malformed body may follow the response to its head.
    const response = responses.at(-1);
    if (!response) throw new Error('no response');
    expectFailure(response, 400, 'REQUEST_MALFORMED');
    expect(response.headers.connection).toBe('close');
    await expectAlive(server);
  });

  test('ends the connection: the bytes after it are not parsed as a request', async () => {
    const smuggled = buildHead('GET /healthz HTTP/1.1', 'Host: localhost');
    const responses = await exchange(
      server,
      `${buildHead(login, 'Host: localhost', 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
    );
    expect(responses.map(({ status }) => status)).toEqual([400]);
  });

  test('is rejected alone after a valid one on the same connection', async () => {
    const socket = await open(server);
    const reading = readUntilClosed(socket);
    socket.write(buildHead('GET /healthz HTTP/1.1', 'Host: localhost'));
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    expect(parseResponses(await reading).map(({ status }) => status)).toEqual([200, 400]);
    await expectAlive(server);
  });
});

describe('headers', () => {
  test('of more than the longest token and 8 KiB are 431', async () => {
    for (const lines of [
      [`X-A: ${'a'.repeat(41_000)}`],
      Array.from({ length: 700 }, (_, at) => `X-${at}: ${'a'.repeat(60)}`),
      [`Authorization: Bearer ${'a'.repeat(41_000)}`],
    ]) {
      const response = await send(server, buildHead('GET /healthz HTTP/1.1', 'Host: localhost', ...lines));
      expectFailure(response, 431, 'HEADERS_TOO_LARGE');
    }
    await expectAlive(server);
  });

  test('within the limit are accepted, including a long target', async () => {
    const long = buildHead(
      `GET /healthz?${'a'.repeat(7_000)} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `X-A: ${'a'.repeat(7_000)}`,
    );
    expect(await send(server, long)).toMatchObject({ status: 200 });
  });

  test('contain exactly one valid Host', async () => {
    const odd = [
      [],
      ['Host: localhost', 'Host: localhost'],
      ['Host:'],
      ['Host: a b'],
      ['Host: a/b'],
      ['Host: a:b'],
      ['Host: a@b'],
      ['Host: a,b'],
      ['Host: a:123456'],
      ['Host: <script>'],
    ];
    for (const lines of odd)
      for (const path of ['/healthz', `${servicePrefix}/keys`, '/unknown'])
        expectFailure(
          await send(server, buildHead(`GET ${path} HTTP/1.1`, 'Connection: close', ...lines)),
          400,
          'HOST_MISSING',
        );
    for (const host of ['localhost', 'a.localhost:80', '127.0.0.1:8080', '10.1.2.3', '[::1]:8080', '[fd00::1]'])
      expect(
        await send(server, buildHead('GET /healthz HTTP/1.1', 'Connection: close', `Host: ${host}`)),
      ).toMatchObject({
        status: 200,
      });
  });

  test('with an Expect other than 100-continue are 417', async () => {
    const response = await send(
      server,
      buildHead(login, 'Host: localhost', 'Content-Length: 2', 'Expect: 200-ok'),
      '{}',
    );
    expectFailure(response, 417, 'EXPECTATION_FAILED');
    expect(response.headers.connection).toBe('close');
    await expectAlive(server);
  });

  test('with Expect: 100-continue get an interim response', async () => {
    const socket = await open(server);
    const reading = readUntilClosed(socket);
    socket.write(buildHead(login, 'Host: localhost', 'Content-Length: 0', 'Connection: close', 'Expect: 100-continue'));
    const text = await reading;
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n/);
    expect(parseResponses(text)).toMatchObject([{ status: 401 }]);
  });

  test('that request a protocol upgrade get a normal response', async () => {
    const response = await send(
      server,
      buildHead('GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: Upgrade, close', 'Upgrade: websocket'),
    );
    expect(response).toMatchObject({ status: 200 });
  });
});

test('rejects CONNECT with a response', async () => {
  for (const target of ['evil.example:443', '127.0.0.1:1'])
    expectFailure(
      await send(server, buildHead(`CONNECT ${target} HTTP/1.1`, `Host: ${target}`)),
      405,
      'METHOD_NOT_ALLOWED',
    );
  await expectAlive(server);
});

test('disconnects a rejected client that keeps its connection open', async () => {
  const { hostname, port } = new URL(server.url);
  for (const bytes of ['nonsense\r\n\r\n', buildHead('CONNECT a:1 HTTP/1.1', 'Host: a:1')]) {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => socket.write(bytes));
    // A client that still writes after the end receives a reset.
    const writing = setInterval(() => socket.write('more'), 50);
    socket.on('error', () => {});
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(writing);
  }
});

test('survives many clients that disconnect during a request', async () => {
  const { hostname, port } = new URL(server.url);
  const parts = [
    '',
    'GET',
    'GET / HTTP/1.1\r\nHost: h',
    buildHead(login, 'Host: localhost', 'Content-Length: 100'),
    `${buildHead(login, 'Host: localhost', 'Transfer-Encoding: chunked')}5\r\nab`,
  ];
  await Promise.all(
    Array.from(
      { length: 60 },
      (_, at) =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname, () =>
            socket.write(parts[at % parts.length] ?? '', () => socket.resetAndDestroy()),
          );
          socket.on('error', () => {});
          socket.on('close', () => resolve());
        }),
    ),
  );
  await expectAlive(server);
  expect(server.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('whatever the target, the response is one of this service', async () => {
  const text = fc.string({
    unit: fc.constantFrom(
      ...'/?#%[]@:.;&=+$,!~*\'()\\^`{|}"<>abzAZ09-_',
      '%00',
      '%2e',
      '//',
      'http://',
      'https://[',
      '\u0080',
      '\u00ff',
    ),
    maxLength: 30,
  });
  const target = fc.oneof(
    text,
    text.map((rest) => `/${rest}`),
    text.map((rest) => `${servicePrefix}/${rest}`),
    text.map((rest) => `http://${rest}`),
    fc.constantFrom('*', 'zhttps://[', 'x:[', '[::'),
  );
  await fc.assert(
    fc.asyncProperty(target, fc.constantFrom('GET', 'POST', 'OPTIONS', 'DELETE', 'HEAD'), async (path, method) => {
      const [response] = await exchange(
        server,
        Buffer.from(
          buildHead(`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', 'Content-Length: 0'),
          'latin1',
        ),
      );
      expect(response?.status).toBeLessThan(500);
      if (response?.status === 200 || response?.status === 204 || method === 'HEAD') return;
      expect(response?.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(response?.text ?? '')).toEqual([
        expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
      ]);
    }),
    { numRuns: rounds(400) },
  );
  await expectAlive(server);
});
