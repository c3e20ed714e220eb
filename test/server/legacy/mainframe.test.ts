/** The mainframe integration: the same behaviour in the store and over HTTP. */
import { describe, expect, test } from 'vitest';
import { createMainframe } from '../../../src/server/integrations.ts';
import type { Mainframe } from '../../../src/server/legacy/mainframe.ts';
import { createHttpMainframe } from '../../../src/server/legacy/mainframe-http.ts';
import type { Log } from '../../../src/server/lib/log.ts';
import { internalFlow } from '../../../src/server/limits/hash-queue.ts';
import { startServer } from '../../harness.ts';
import { lastCode } from '../operations/otp-inbox.ts';
import { readClaims } from '../operations/user-identities/login-fixtures.ts';
import { logInLegacy, retrieve } from '../operations/user-identities/logon-fixtures.ts';
import { type FakeSystem, failingReplies, respond, startFakeSystem } from './fake-system.ts';

const mobile = { regionCode: 1, areaCode: 555, phoneNumber: 5550100 };

interface LogonRow {
  logon: string;
  password?: string;
  email?: string;
}

/** An independent implementation of a mainframe that stores logons. */
function startMainframe(): Promise<FakeSystem> {
  const logons = new Map<string, LogonRow>();
  return startFakeSystem(({ method, path, body }, response) => {
    const [, , name = '', part = ''] = path.split('/').map(decodeURIComponent);
    const row = logons.get(name);
    const { password = '' } = (body ?? {}) as { password?: string };
    if (method === 'POST' && name === '') {
      const created = body as LogonRow;
      if (created.password === 'STRICT') return respond(response, 422);
      if (logons.has(created.logon)) return respond(response, 409);
      logons.set(created.logon, created);
      return respond(response, 201);
    }
    if (!row) return respond(response, 404);
    if (part === 'verification') return respond(response, row.password === password ? 204 : 401);
    if (part === 'password') {
      if (password === 'STRICT') return respond(response, 422);
      logons.set(name, { ...row, password });
      return respond(response, 204);
    }
    if (method === 'DELETE') {
      logons.delete(name);
      return respond(response, 204);
    }
    respond(response, 200, { ...row, password: undefined });
  });
}

const logged: object[] = [];
const log = { warn: (fields: object) => logged.push(fields) } as unknown as Log;

function over(outside: FakeSystem, portTimeout = 60_000): Mainframe {
  return createHttpMainframe(outside.url, { settings: { portTimeout }, log });
}

describe.each<[string, () => Promise<{ mainframe: Mainframe } & AsyncDisposable>]>([
  [
    'in the store',
    async () => {
      const server = await startServer();
      return Object.assign(server, { mainframe: createMainframe(server.appContext) });
    },
  ],
  ['over HTTP', async () => startMainframe().then((outside) => Object.assign(outside, { mainframe: over(outside) }))],
])('%s', (_, open) => {
  test('creates a logon once, finds and verifies it, changes its password and removes it', async () => {
    await using opened = await open();
    const { mainframe } = opened;
    const created = { logon: 'A@#$1', password: 'FIRST#1', email: 'a@mainframe.example', mobile };
    await expect(mainframe.create(created, internalFlow)).resolves.toBe(true);
    await expect(mainframe.create({ ...created, email: 'b@mainframe.example' }, internalFlow)).resolves.toBe(false);
    await expect(mainframe.find('A@#$1')).resolves.toEqual({ email: 'a@mainframe.example', mobile });
    await expect(mainframe.verify('A@#$1', 'FIRST#1', internalFlow)).resolves.toBe(true);
    await expect(mainframe.verify('A@#$1', 'first#1', internalFlow)).resolves.toBe(false);
    await expect(mainframe.setPassword('A@#$1', 'NEXT#1', internalFlow)).resolves.toBe(true);
    await expect(mainframe.verify('A@#$1', 'FIRST#1', internalFlow)).resolves.toBe(false);
    await expect(mainframe.verify('A@#$1', 'NEXT#1', internalFlow)).resolves.toBe(true);
    await mainframe.remove('A@#$1');
    await expect(mainframe.find('A@#$1')).resolves.toBeUndefined();
    await expect(mainframe.verify('A@#$1', 'NEXT#1', internalFlow)).resolves.toBe(false);
  });

  test('finds no unknown logon, and removing one succeeds', async () => {
    await using opened = await open();
    const { mainframe } = opened;
    await expect(mainframe.find('NONE')).resolves.toBeUndefined();
    await expect(mainframe.verify('NONE', 'X', internalFlow)).resolves.toBe(false);
    await expect(mainframe.setPassword('NONE', 'NEXT#1', internalFlow)).resolves.toBe(false);
    await expect(mainframe.remove('NONE')).resolves.toBeUndefined();
  });

  test('a logon without contacts and password returns no contact and accepts no password', async () => {
    await using opened = await open();
    const { mainframe } = opened;
    await mainframe.create({ logon: 'BARE' }, internalFlow);
    expect(await mainframe.find('BARE')).toEqual({});
    for (const password of ['', 'undefined'])
      await expect(mainframe.verify('BARE', password, internalFlow)).resolves.toBe(false);
  });

  test('one of 100 concurrent requests creates the logon', async () => {
    await using opened = await open();
    const created = await Promise.all(
      Array.from({ length: 100 }, () => opened.mainframe.create({ logon: 'ONCE' }, internalFlow)),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
  });
});

describe('over HTTP', () => {
  test('sends no request for an invalid logon', async () => {
    await using outside = await startMainframe();
    for (const name of ['..', '.', 'A/B', 'lower case', '', '%2e'])
      await expect(over(outside).verify(name, 'x', internalFlow)).resolves.toBe(false);
    expect(outside.requests).toEqual([]);
  });

  test('reports a password that only the mainframe rejects', async () => {
    await using outside = await startMainframe();
    const mainframe = over(outside);
    const rejection = { code: 'PASSWORD_NOT_FOR_MAINFRAME' };
    await expect(mainframe.create({ logon: 'A', password: 'STRICT' }, internalFlow)).rejects.toMatchObject(rejection);
    await mainframe.create({ logon: 'A' }, internalFlow);
    await expect(mainframe.setPassword('A', 'STRICT', internalFlow)).rejects.toMatchObject(rejection);
  });

  test('sends the paths and bodies of the protocol, below the path of the URL', async () => {
    await using outside = await startFakeSystem((_, response) => respond(response, 204));
    const mainframe = createHttpMainframe(`${outside.url}/host/`, { settings: { portTimeout: 60_000 }, log });
    await mainframe.verify('A#1', 'x', internalFlow);
    await mainframe.setPassword('A#1', 'y', internalFlow);
    expect(outside.requests).toMatchObject([
      { method: 'POST', path: '/host/logons/A%231/verification', body: { password: 'x' } },
      { method: 'PUT', path: '/host/logons/A%231/password', body: { password: 'y' } },
    ]);
    expect(outside.requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
    });
  });

  test.each(Object.entries(failingReplies))(
    'a mainframe that %s is unavailable for every operation',
    async (name, reply) => {
      await using outside = await startFakeSystem(reply);
      const mainframe = over(outside, name.includes('never') || name.includes('end') ? 100 : undefined);
      const operations: Promise<unknown>[] = [
        mainframe.find('A'),
        mainframe.verify('A', 'secret-word', internalFlow),
        mainframe.create({ logon: 'A', password: 'secret-word' }, internalFlow),
        mainframe.setPassword('A', 'secret-word', internalFlow),
        mainframe.remove('A'),
      ];
      const failure = { code: 'MAINFRAME_UNAVAILABLE', name: 'IamError' };
      await Promise.all(operations.map((operation) => expect(operation).rejects.toMatchObject(failure)));
      expect(outside.requests.every(({ path }) => !path.startsWith('/elsewhere'))).toBe(true);
      expect(JSON.stringify(logged)).not.toMatch(/secret-word|of the external system/);
    },
  );

  test('a server with a configured mainframe verifies logons there and stores none', async () => {
    await using outside = await startMainframe();
    await over(outside).create({ logon: 'REAL1', password: 'REAL#1', email: 'real@mainframe.example' }, internalFlow);
    await using server = await startServer({ flags: { 'mainframe-url': outside.url } });
    expect(readClaims(await logInLegacy(server, 'real1', { secret: 'REAL#1' }))).toMatchObject({ sub: 'logon:REAL1' });
    await expect(logInLegacy(server, 'REAL1', { secret: 'wrong' })).rejects.toMatchObject({ status: 401 });
    const { hash } = await retrieve(server, 'REAL1');
    const token = await lastCode(server, 'real@mainframe.example');
    const body = { logon: 'REAL1', token, hash, newPassword: 'NEXT#1' };
    await server.as().userIdentities.resetLegacyPassword({ query: { clientId: 'test-app' }, body });
    await expect(logInLegacy(server, 'REAL1', { secret: 'NEXT#1' })).resolves.toBeDefined();
    expect(await server.appContext.store.logons.count()).toBe(0);
  });

  test('a slow mainframe is 503 after the configured timeout', async () => {
    await using outside = await startFakeSystem(() => undefined);
    await using server = await startServer({ flags: { 'mainframe-url': outside.url, 'port-timeout': '100' } });
    await expect(logInLegacy(server, 'SLOW1')).rejects.toMatchObject({
      status: 503,
      code: 'MAINFRAME_UNAVAILABLE',
      retryAfter: 5,
    });
    expect(server.log.join('')).toContain('no response within 100 ms');
  });
});
