/** Internal errors: the caller receives a request id, the log contains the reason, and the server keeps running. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { createLog } from '../../../src/server/lib/log.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { type Store, StoreUnavailableError } from '../../../src/server/store/store.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';

const authorization = `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;

/** The same value with the overrides; also for values that are not plain objects. */
function override<T extends object>(inner: T, others: Partial<T>): T {
  return new Proxy(inner, { get: (target, name) => Reflect.get(name in others ? others : target, name) });
}

/** A store whose behaviour a test can replace. */
function createBreakableStore(): { store: Store; breakWith(error: unknown): void; mend(): void } {
  const inner = openMemoryStore();
  let broken: { error: unknown } | undefined;
  const fail = () => {
    if (broken) throw broken.error;
  };
  const groups = override(inner.groups, {
    list: async (range) => {
      fail();
      return inner.groups.list(range);
    },
  });
  const store = override(inner, {
    groups,
    transaction: async (work) => {
      fail();
      return inner.transaction(work);
    },
    health: () =>
      broken
        ? { writable: false, problem: 'write-failed' as const, reason: 'disk canary-reason', permanent: true }
        : { writable: true },
  });
  return {
    store,
    breakWith: (error) => {
      broken = { error };
    },
    mend: () => {
      broken = undefined;
    },
  };
}

async function sendRequest(server: TestServer, path: string, init: RequestInit = {}) {
  const response = await fetch(server.url + path, { ...init, headers: { authorization, ...init.headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const groups = `${servicePrefix}/groups`;
const creating = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"groupName":"canary-group"}',
};

describe('on an internal error', () => {
  const secretError = Object.assign(new Error('canary-message at /canary/path', { cause: new Error('canary-cause') }), {
    clientSecret: 'canary-secret',
    query: { password: 'canary-password' },
  });
  const thrown: [string, unknown][] = [
    ['an error', secretError],
    ['a plain object', { message: 'canary-message' }],
    ['a string', 'canary-message'],
    ['undefined', undefined],
    ['null', null],
  ];
  test.each(thrown)('after %s is thrown, the caller receives the request id and nothing else', async (_what, error) => {
    const { store, breakWith, mend } = createBreakableStore();
    await using server = await startServer({ openStore: async () => store });
    breakWith(error);
    for (const init of [{}, creating]) {
      const { status, headers, text } = await sendRequest(server, groups, init);
      const requestId = headers.get('x-request-id') ?? '';
      const message = `Internal error. The server log contains the reason under the request id. Request id: ${requestId}`;
      expect(status).toBe(500);
      expect(JSON.parse(text)).toEqual([{ code: 'INTERNAL', message }]);
      expect([headers.get('content-type'), headers.get('cache-control'), headers.get('etag')]).toEqual([
        'application/json; charset=utf-8',
        'no-store',
        null,
      ]);
      expect(server.log.filter((line) => line.includes(requestId) && line.includes('"level":"error"'))).toHaveLength(1);
    }
    mend();
    expect((await sendRequest(server, groups)).status).toBe(200);
  });

  test('the log contains the reason with its cause and stack, and no other field of the error', async () => {
    const { store, breakWith } = createBreakableStore();
    await using server = await startServer({ openStore: async () => store });
    breakWith(secretError);
    await sendRequest(server, groups);
    const line = server.log.find((text) => text.includes('"level":"error"')) ?? '';
    const { err, operation, level } = JSON.parse(line) as {
      err: Record<string, string>;
      operation: string;
      level: string;
    };
    expect([operation, level]).toEqual(['groups.list', 'error']);
    expect(err.message).toContain('canary-message');
    expect(err.message).toContain('canary-cause');
    expect(err.stack).toContain('error-response.test.ts');
    expect(line).not.toContain('canary-secret');
    expect(line).not.toContain('canary-password');
  });

  test('a store that rejects writes leads to 503 with Retry-After, and the server is not ready', async () => {
    const { store, breakWith, mend } = createBreakableStore();
    await using server = await startServer({ openStore: async () => store });
    expect(await sendRequest(server, '/readyz')).toMatchObject({
      status: 200,
      text: '{"status":"ready","store":"writable"}',
    });
    breakWith(new StoreUnavailableError('no space left on /canary/device'));
    const { status, headers, text } = await sendRequest(server, groups, creating);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(JSON.parse(text)).toEqual([
      { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('Request id: '), details: { retryAfter: 5 } },
    ]);
    expect(text).not.toContain('canary');
    expect(server.log.join('')).toContain('/canary/device');
    const ready = await sendRequest(server, '/readyz');
    expect(ready).toMatchObject({
      status: 503,
      text: '{"status":"not ready","store":"read-only","problem":"write-failed"}',
    });
    expect((await sendRequest(server, '/healthz')).status).toBe(200);
    mend();
    expect((await sendRequest(server, '/readyz')).status).toBe(200);
    expect((await sendRequest(server, groups, creating)).status).toBe(201);
  });
});

test('rejects the request if authentication fails with an internal error', async () => {
  const inner = openMemoryStore();
  let broken = false;
  const clients = override(inner.clients, {
    get: async (key) => {
      if (broken) throw new Error('canary');
      return inner.clients.get(key);
    },
  });
  await using server = await startServer({ openStore: async () => override(inner, { clients }) });
  broken = true;
  expect(await sendRequest(server, groups)).toMatchObject({ status: 500 });
  broken = false;
  expect(await sendRequest(server, groups)).toMatchObject({ status: 200 });
});

describe('settings that change responses', () => {
  test('soft-errors returns documented errors with status 200 and the same array', async () => {
    const body = {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"groupName":"ops","extra":1}',
    };
    const responses: Awaited<ReturnType<typeof sendRequest>>[] = [];
    for (const flags of [{}, { 'soft-errors': true }]) {
      await using server = await startServer({ flags });
      await server.admin.groups.create({ body: { groupName: 'ops' } });
      responses.push(await sendRequest(server, `${groups}/ops`, body));
      // Neither missing credentials nor undocumented errors become soft.
      expect((await fetch(`${server.url}${groups}/ops`, body)).status).toBe(401);
      expect((await sendRequest(server, groups, { ...creating, body: '{' })).status).toBe(400);
      expect((await sendRequest(server, `${groups}/unknown`)).status).toBe(404);
      const removing = await sendRequest(server, `${groups}/ops/dependency/unknown`, { method: 'DELETE' });
      expect(removing.status).toBe('soft-errors' in flags ? 200 : 404);
    }
    expect(responses.map(({ status }) => status)).toEqual([400, 200]);
    expect(responses[1]?.text).toBe(responses[0]?.text);
  });

  test('expires-in epoch returns the second of expiry', async () => {
    for (const [flag, expected] of [
      ['seconds', '3600'],
      ['epoch', '1772370000'],
    ]) {
      await using server = await startServer({ flags: { 'expires-in': String(flag) } });
      const { text } = await sendRequest(server, `${servicePrefix}/client-identities/login`, { method: 'POST' });
      expect((JSON.parse(text) as { expiresIn: string }).expiresIn).toBe(expected);
    }
  });
});

test('health and the API document need no credentials', async () => {
  await using server = await startServer();
  for (const path of ['/healthz', '/readyz', '/openapi.json'])
    expect((await fetch(server.url + path)).status).toBe(200);
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as { openapi: string; servers: unknown };
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(JSON.stringify(document.servers)).toContain(server.url);
});

describe('the log', () => {
  function written(write: (log: ReturnType<typeof createLog>) => void): string {
    const lines: string[] = [];
    write(
      createLog(
        'debug',
        (line) => lines.push(line),
        () => new Date(0),
      ),
    );
    expect(lines).toHaveLength(1);
    return lines.join('');
  }

  const hostile = 'a\r\n{"level":"fake"}\u001b[31m\u0000\u0007\u007f\u009b31m\u2028\u2029b';
  test('writes one line per entry, whatever it contains, and no terminal control characters', () => {
    const error = new Error(hostile, { cause: new Error(hostile) });
    for (const line of [
      written((log) => log.warn({ name: hostile }, 'x')),
      written((log) => log.warn({ [hostile]: 1 }, 'x')),
      written((log) => log.warn({}, hostile)),
      written((log) => log.error({ err: error }, 'x')),
      written((log) => log.info({ nested: { names: [hostile] } }, 'x')),
    ]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that none occurs
      expect(line.replace(/\n$/, '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
      expect(JSON.stringify(JSON.parse(line))).toContain('fake');
    }
  });
});
