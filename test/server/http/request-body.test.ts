/** Request bodies: limited in length and depth, UTF-8 JSON only, and safe against prototype pollution. */
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import {
  buildHead,
  expectAlive,
  expectFailure,
  open,
  parseResponses,
  type RawResponse,
  readUntilClosed,
  send,
} from './raw-http.ts';

let server: TestServer;
let before: Record<string, unknown>;

beforeAll(async () => {
  server = await startServer({ flags: { 'body-limit': '1000' } });
  before = await server.dump();
});
afterEach(async () => {
  expect(await server.dump()).toEqual(before);
});
afterAll(() => server[Symbol.asyncDispose]());

const basic = `Authorization: Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
const json = 'Content-Type: application/json';

function post(body: string | Buffer, lines: readonly string[] = [json]): Promise<RawResponse> {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const start = [
    `POST ${servicePrefix}/groups HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    basic,
    length,
    ...lines,
  ];
  return send(server, buildHead(...start), body);
}

describe('a body that is too long is 413', () => {
  test('by its Content-Length, before any of it arrives', async () => {
    const socket = await open(server);
    const reading = readUntilClosed(socket);
    socket.write(
      buildHead(
        `POST ${servicePrefix}/groups HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        basic,
        json,
        'Content-Length: 1001',
      ),
    );
    const [response] = parseResponses(await reading);
    if (response) expectFailure(response, 413, 'BODY_TOO_LARGE');
    expect(response?.text).toContain('1000 bytes');
  });

  test('by the chunks received, before the end arrives', async () => {
    const socket = await open(server);
    const reading = readUntilClosed(socket);
    const chunk = `1f4\r\n${' '.repeat(500)}\r\n`;
    socket.write(
      buildHead(
        `POST ${servicePrefix}/groups HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        basic,
        json,
        'Transfer-Encoding: chunked',
      ),
    );
    socket.write(chunk.repeat(3));
    const [response] = parseResponses(await reading);
    if (response) expectFailure(response, 413, 'BODY_TOO_LARGE');
    expect(response).toBeDefined();
  });

  test('also for a client that sends all of it before reading, and that may reuse the connection', async () => {
    const response = await fetch(`${server.url}${servicePrefix}/groups`, {
      method: 'POST',
      headers: { authorization: basic.slice(15), 'content-type': 'application/json' },
      body: `"${'x'.repeat(3_000_000)}"`,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual([
      { code: 'BODY_TOO_LARGE', message: expect.any(String), details: { limit: 1000 } },
    ]);
    const socket = await open(server);
    const reading = readUntilClosed(socket);
    socket.write(
      buildHead(`POST ${servicePrefix}/groups HTTP/1.1`, 'Host: localhost', basic, json, 'Content-Length: 2000'),
    );
    await once(socket, 'data');
    socket.write('x'.repeat(2000) + buildHead('GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close'));
    expect(parseResponses(await reading).at(-1)).toMatchObject({ status: 200 });
  });

  test('but not at exactly the limit', async () => {
    const body = JSON.stringify({ groupName: 5 });
    expectFailure(await post(body + ' '.repeat(1000 - body.length)), 400, 'FIELD_TYPE');
    expect(await post(body + ' '.repeat(1001 - body.length))).toMatchObject({ status: 413 });
  });
});

describe('a body of another media type is 415', () => {
  const types = [
    '',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/',
    'json',
    '*/*',
    'application/xml+json2',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json, text/plain',
  ];
  test.each(types)('%j', async (type) => {
    const response = await post('{"groupName":"x"}', [`Content-Type: ${type}`]);
    expectFailure(response, 415, 'CONTENT_TYPE_UNSUPPORTED');
    expect(response.headers.accept).toBe('application/json');
  });

  test('also without a media type', async () => {
    expectFailure(await post('{"groupName":"x"}', []), 415, 'CONTENT_TYPE_UNSUPPORTED');
  });

  test.each(['gzip', 'deflate', 'br', 'zstd', 'x-gzip', 'GZIP', 'identity, gzip', 'nonsense'])(
    'also if compressed with %s, however small',
    async (coding) => {
      const response = await post(gzipSync(Buffer.alloc(200_000)).subarray(0, 900), [
        json,
        `Content-Encoding: ${coding}`,
      ]);
      expectFailure(response, 415, 'CONTENT_TYPE_UNSUPPORTED');
      expect(response.headers['accept-encoding']).toBe('identity');
    },
  );

  test('but JSON is accepted under its other names', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON;charset="UTF-8"',
      'application/merge-patch+json',
      'application/json;x=y',
    ])
      expect(await post('{"groupName":5}', [`Content-Type: ${type}`])).toMatchObject({ status: 400 });
    expect(await post('{"groupName":5}', [json, 'Content-Encoding: identity'])).toMatchObject({ status: 400 });
  });
});

describe('an unparsable body is 400', () => {
  const unreadable: [string, string | Buffer][] = [
    ['empty', ''],
    ['blank', ' \n'],
    ['truncated', '{"groupName":"x"'],
    ['two values', '{"groupName":"x"}{}'],
    ['with a comment', '{"groupName":"x"/* */}'],
    ['with single quotes', "{'groupName':'x'}"],
    ['with a trailing comma', '{"groupName":"x",}'],
    ['a literal outside JSON', 'undefined'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['half a character', Buffer.from([0x22, 0xe2, 0x82, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{"groupName":"x"}', 'utf16le')],
    ['with a zero byte', '{"groupName":"x"}\0'],
  ];
  test.each(unreadable)('%s', async (_what, body) => {
    expectFailure(await post(body), 400, 'BODY_NOT_JSON');
  });

  test('nested deeper than 32 levels, whatever it contains', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['[[', ']]'],
      ['[', ''],
    ] as const)
      expectFailure(await post(`${open.repeat(33)}1${close.repeat(33)}`), 400, 'BODY_TOO_DEEP');
    expectFailure(await post('['.repeat(32) + ']'.repeat(32)), 400, 'FIELD_TYPE');
    expectFailure(
      await post(`{"groupName":5,"x":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`).then(first),
      400,
      'FIELD_TYPE',
    );
  });
});

test.each([
  ['{\n  "groupName": "x",\n}', 'line 3, column 1: expected a name in double quotes'],
  ['{"groupName":"x"', 'line 1, column 17: expected a comma or }, and the text ends'],
  ['{"groupName":"x"}{}', 'line 1, column 18: expected the end of the text'],
  ['{"groupName":\r\n"canary\n"}', 'line 2, column 8: a line break or control character must be escaped in text'],
  ['{"groupName":canary}', 'line 1, column 14: expected a value'],
  ['{"groupName":00}', 'line 1, column 14: not a number of JSON'],
])('the place of an error is reported, and no value: %j', async (body, place) => {
  const { status, text } = await post(body);
  expect([status, JSON.parse(text)]).toEqual([
    400,
    [{ code: 'BODY_NOT_JSON', message: `The body is not JSON: ${place}.` }],
  ]);
});

describe('a repeated member is 400, as another program could read the other one', () => {
  test.each([
    ['{"groupName":"x","groupName":"y"}', 'groupName', 18],
    ['{"groupName":"x","groupName":"x"}', 'groupName', 18],
    ['{"groupName":"x","group\\u004eame":"y"}', 'groupName', 18],
    ['{"groupName":"x","unknown":{"a":1,"b":[],"a":{}}}', 'unknown.a', 42],
    [
      '{"groupName":"x","dependencies":[{"groupName":"a"},{"groupName":"b","groupName":"c"}]}',
      'dependencies[1].groupName',
      69,
    ],
    ['{"groupName":"x","roles":["A"],"roles":null}', 'roles', 32],
    ['{"groupName":"x","":1,"":2}', '', 23],
  ])('%s', async (body, field, column) => {
    const { status, text } = await post(body);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      [
        {
          code: 'FIELD_REPEATED',
          message: `${field} is repeated (line 1, column ${column}).`,
          details: { field },
        },
      ],
    ]);
  });

  test.each([
    '{"groupName":5,"groupname":6}',
    '{"groupName":5,"roles":["A","A"],"x":{"groupName":1}}',
    '{"groupName":5,"x":"\\"groupName\\":1,\\"groupName\\":1"}',
    '{"groupName":5,"x\\\\":1,"x":"\\\\"}',
  ])('but not in %s', async (body) => {
    expectFailure(await post(body).then(withoutUnknown), 400, 'FIELD_TYPE');
  });
});

/** Only the errors that are not about unknown fields. */
function withoutUnknown(response: RawResponse): RawResponse {
  const errors = JSON.parse(response.text) as { code: string }[];
  return { ...response, text: JSON.stringify(errors.filter(({ code }) => code !== 'FIELD_UNKNOWN')) };
}

/** Only the first of several errors. */
function first(response: RawResponse): RawResponse {
  return { ...response, text: JSON.stringify((JSON.parse(response.text) as unknown[]).slice(0, 1)) };
}

test('names of inherited properties are unknown fields like any other', async () => {
  const bodies = [
    '{"groupName":"x","__proto__":{"admin":true}}',
    '{"groupName":"x","constructor":{"prototype":{"admin":true}}}',
    '{"groupName":"x","prototype":1}',
    '{"groupName":"x","toString":1}',
    '{"groupName":"x","\\u005f_proto__":{"admin":true}}',
    '{"groupName":"x","dependencies":[{"groupName":"y","__proto__":1}]}',
  ];
  for (const body of bodies) expectFailure(await post(body), 400, 'FIELD_UNKNOWN');
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('an invalid value is reported by name, without repeating it', async () => {
  const response = await post('{"groupName":"x","roles":"canary-value","extra":"canary-value"}');
  expect(response.status).toBe(400);
  expect((JSON.parse(response.text) as { message: string }[]).map(({ message }) => message).sort()).toEqual([
    'Unknown field: extra. Accepted: groupName, organizationId, businessUnitId, roles, dependencies.',
    'roles must be an array.',
  ]);
  expect(server.log.join('')).not.toContain('canary-value');
});

test('the body of a rejected request is not read', async () => {
  const response = await send(
    server,
    buildHead(
      `POST ${servicePrefix}/groups HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      'Content-Type: text/plain',
      'Content-Length: 999999',
    ),
  );
  expectFailure(response, 401, 'CREDENTIALS_MISSING');
  await expectAlive(server);
});

test('rejects a body with more values than any operation accepts and reports the limit', async () => {
  await using wide = await startServer();
  const response = await wide.send({
    method: 'POST',
    path: `${servicePrefix}/groups`,
    headers: [
      ['Authorization', basic.slice(15)],
      ['Content-Type', 'application/json'],
    ],
    body: `[${'0,'.repeat(40_000)}0]`,
  });
  expect([response.status, response.json]).toEqual([
    400,
    [{ code: 'BODY_TOO_COMPLEX', message: 'The body has more than 40000 values.', details: { limit: 40_000 } }],
  ]);
});
