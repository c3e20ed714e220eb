import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { describe, expect, test, vi } from 'vitest';
import { settingsTable } from '../../src/server/config/settings.ts';
import {
  ClientError,
  createClient,
  type IamServer,
  InputError,
  type StartOptions,
  startServer,
  type TestScope,
} from '../../src/testing/index.ts';
import { measureCost } from '../security/measure-cost.ts';
import { normalizeDump, readVisibleData } from './normalize-dump.ts';

const seed = {
  users: [
    { userId: 'ann', userName: 'ann.lee', userEmail: 'ann@example.com', password: 'correct horse battery staple' },
    { userId: 'bob', userName: 'bob', userEmail: 'bob@example.com', locked: true },
  ],
  groups: [{ groupName: 'ops', roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE'], users: ['ann'] }],
} satisfies StartOptions['seed'];

const noon = '2026-03-01T12:00:00.000Z';
const quick = { settings: { 'fast-passwords': true } } as const;

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

const statusOf = (response: Promise<unknown>) =>
  response.then(
    () => 200,
    (error: unknown) => (error instanceof ClientError ? error.status : 0),
  );

const changeEmail = (iam: IamServer, userId: string, userEmail: string) =>
  iam.client.userIdentities.update({ params: { id: userId }, body: { userEmail } });

describe('a server in this process', () => {
  test('listens on its URL and has separate credentials', async () => {
    await using iam = await startServer({ ...quick, seed });
    const { adminClientId, adminClientSecret, adminUser, adminPassword, appClientId } = iam.credentials;
    for (const value of [adminClientId, adminClientSecret, adminUser, adminPassword, appClientId])
      expect(value).toMatch(/./);
    expect(iam.baseUrl).toBe(`${iam.url}/security/iam/v1`);
    expect((await fetch(`${iam.url}/readyz`)).status).toBe(200);
    expect(await iam.client.groups.get({ params: { groupId: 'ops' } })).toMatchObject({ groupName: 'ops' });
    const elsewhere = createClient({
      baseUrl: iam.baseUrl,
      credentials: { clientId: adminClientId, clientSecret: adminClientSecret },
    });
    expect((await elsewhere.groups.list()).items.length).toBeGreaterThan(0);
    await elsewhere.close();
  });

  test('is isolated from other servers in the process', async () => {
    await using one = await startServer(quick);
    await using other = await startServer(quick);
    await one.client.groups.create({ body: { groupName: 'mine', roles: ['VIEW'] } });
    const names = (await other.client.groups.list()).items.map(({ groupName }) => groupName);
    expect(names).not.toContain('mine');
    expect(one.credentials.adminClientSecret).not.toBe(other.credentials.adminClientSecret);
    one.clock.freeze();
    one.clock.advance('7d');
    expect(other.clock.now().getTime()).toBeLessThan(one.clock.now().getTime());
    const { accessToken } = await one.client.clientIdentities.login();
    expect((await other.as({ token: accessToken }).raw('GET', '/security/iam/v1/groups')).status).toBe(401);
  });

  test('uses the credentials of the options', async () => {
    const credentials = { adminClientId: 'root', adminClientSecret: 'a-secret-for-these-tests', appClientId: 'app' };
    await using iam = await startServer({ credentials });
    expect(iam.credentials).toMatchObject(credentials);
    expect((await iam.client.groups.list()).items.length).toBeGreaterThan(0);
  });

  test('accepts settings by name, and a port', async () => {
    await using iam = await startServer({ settings: { 'client-token-lifetime': 60, 'cors-origins': [] } });
    expect(await iam.client.clientIdentities.login()).toMatchObject({ expiresIn: '60' });
    await iam.stop();
    await using again = await startServer({ port: Number(new URL(iam.url).port) });
    expect(again.url).toBe(iam.url);
    const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    for (const [key, { name, flag }] of Object.entries(settingsTable)) if (flag) expect(kebab(key)).toBe(name);
  });

  test.each([
    [{ settings: { 'client-token-lifetime': 0 } }, /client-token-lifetime/],
    [{ settings: { nonsense: 1 } as never }, /nonsense/],
    [{ seed: { settings: { 'tls-cert': 'x.pem', 'tls-key': 'x.pem' } } }, /HTTP only/],
    [{ seed: { users: [{ userName: 'x', color: 'red' }] } as never }, /color/],
    [{ seed: '/nonexistent/seed.yaml' }, /seed/],
    [{ clock: '2030-01-01T00:00:00' }, /not a time/],
    [{ clock: '3000-01-01T00:00:00Z' }, /2999/],
    [{ store: 'data/here' as never }, /store: must be 'memory' or/],
    [{ seed: { groups: [{ groupName: 'x', roles: 'A' }] } as never }, /^groups\[0\]\.roles: must be a list$/],
  ])('does not start with %j', async (options, reason) => {
    await expect(startServer(options)).rejects.toThrow(reason);
  });

  test('releases its port and connections, and can be stopped twice', async () => {
    const iam = await startServer();
    await iam.client.groups.list();
    await Promise.all([iam.stop(), iam.stop()]);
    await iam[Symbol.asyncDispose]();
    await expect(fetch(iam.url)).rejects.toThrow();
  });

  test('reads the real time, unless it follows a faked Date of the process', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2001-02-03T04:05:06Z') });
    try {
      await using real = await startServer(quick);
      await using following = await startServer({ ...quick, clock: 'process' });
      vi.setSystemTime('2001-02-03T05:05:06Z');
      expect(following.clock.now().toISOString()).toBe('2001-02-03T05:05:06.000Z');
      expect(real.clock.now().getUTCFullYear()).toBeGreaterThan(2001);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends the latency of a rule when it is stopped', async () => {
    const iam = await startServer(quick);
    await using fork = await iam.fork();
    const sandbox = await iam.sandboxes.create('slow');
    const slow = [iam, fork, sandbox].map((instance) => {
      instance.faults.add({ effect: { latency: '60s' } });
      return statusOf(instance.client.groups.list());
    });
    while ([iam, fork, sandbox].some(({ faults }) => faults.list()[0]?.applied !== 1)) await new Promise(setImmediate);
    const startedAt = performance.now();
    await Promise.all([iam.stop(), ...slow]);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test('ends pending waits when it is stopped', async () => {
    const iam = await startServer();
    const waiting = iam.client.raw('GET', '/_iam/inbox/wait?timeout=30').then(({ status }) => status);
    const inside = iam.inbox.waitFor({ timeout: 30_000 }).catch(({ message }: Error) => message);
    await iam.client.groups.list();
    await iam.stop();
    expect([await waiting, await inside]).toEqual([404, 'The server was stopped or reset.']);
  });

  test('reads a seed from a file, and persists a store on disk', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-library-'));
    try {
      const file = path.join(folder, 'seed.yaml');
      await writeFile(file, 'groups:\n  - groupName: ops\n    roles: [DEPLOY]\n');
      const options = { seed: file, store: { data: path.join(folder, 'store') } };
      const first = await startServer(options);
      await first.client.groups.create({ body: { groupName: 'stored', roles: ['VIEW'] } });
      const names = async (iam: IamServer) => (await iam.client.groups.list()).items.map(({ groupName }) => groupName);
      expect(await names(await first.fork())).toContain('stored');
      await first.stop();
      await using second = await startServer(options);
      expect(await names(second)).toEqual(expect.arrayContaining(['ops', 'stored']));
      await second.client.groups.create({ body: { groupName: 'new', roles: ['VIEW'] } });
      const before = await names(second);
      await second.reset();
      expect(await names(second)).toEqual(before.filter((name) => name !== 'new'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a signed-in client', () => {
  test.each([
    [undefined, 'ROLE_AUTH-BASIC', 'ROLE_AUTH-MFA'],
    ['AUTH-MFA', 'ROLE_AUTH-MFA', 'ROLE_NONE'],
    ['AUTH-IDENTIFIED', 'ROLE_AUTH-IDENTIFIED', 'ROLE_AUTH-BASIC'],
  ] as const)('has the authorities of the level %s', async (level, has, lacks) => {
    await using iam = await startServer({ ...quick, seed });
    for (const name of ['ann', 'ann.lee', 'ANN@example.com']) {
      const { accessToken, userId } = await iam.signIn(name, { level });
      expect(userId).toBe('ann');
      const { authorities } = claimsOf(accessToken);
      expect([authorities]).toEqual([expect.arrayContaining([has])]);
      expect(authorities).not.toContain(lacks);
    }
  });

  test('has the roles of the user until the session or the token expires', async () => {
    await using iam = await startServer({ ...quick, seed, clock: noon });
    const ann = iam.as('ann', { level: 'AUTH-MFA' });
    expect(await statusOf(ann.groups.list())).toBe(200);
    iam.clock.advance('59m');
    expect(await statusOf(ann.groups.list())).toBe(200);
    iam.clock.advance('1m1s');
    expect(await statusOf(ann.groups.list())).toBe(401);
    const again = iam.as('ann');
    expect(await statusOf(again.groups.list())).toBe(200);
    await iam.client.raw('DELETE', '/_iam/sessions?userId=ann');
    expect(await statusOf(again.groups.list())).toBe(401);
  });

  test('uses the credentials of the options, or none', async () => {
    await using iam = await startServer({ ...quick, seed });
    const { adminClientId: clientId, adminClientSecret: clientSecret } = iam.credentials;
    expect(await statusOf(iam.as({ basic: { clientId, clientSecret } }).groups.list())).toBe(200);
    expect(await statusOf(iam.as({ basic: { clientId, clientSecret: 'x' } }).groups.list())).toBe(401);
    expect(await statusOf(iam.as().groups.list())).toBe(401);
  });

  test('rejects unknown and locked users, unknown clients and unknown levels', async () => {
    await using iam = await startServer({ ...quick, seed });
    await expect(iam.signIn('unknown')).rejects.toThrow('User unknown not found');
    await expect(iam.signInClient('unknown')).rejects.toThrow('Client unknown not found');
    const token = await iam.signInClient(iam.credentials.adminClientId);
    expect((await iam.as({ token }).groups.list()).items.length).toBeGreaterThan(0);
    await expect(iam.signIn('bob')).rejects.toThrow('locked');
    await expect(iam.signIn('ann', { clientId: 'unknown' })).rejects.toThrow('Client unknown not found');
    const level = 'MFA' as 'AUTH-MFA';
    await expect(iam.signIn('ann', { level })).rejects.toThrow('Unknown level MFA. Use one of AUTH-IDENTIFIED, ');
    await expect(iam.as('unknown').groups.list()).rejects.toThrow('User unknown not found');
    expect((await iam.client.raw('GET', '/_iam/sessions')).body).toEqual([]);
  });
});

describe('the inbox', () => {
  test('waits for messages, lists them and can be cleared', async () => {
    await using iam = await startServer({ ...quick, seed });
    await changeEmail(iam, 'ann', 'first@example.com');
    const waiting = iam.inbox.waitFor({ to: 'first@example.com' });
    await changeEmail(iam, 'ann', 'second@example.com');
    expect(await waiting).toMatchObject({ to: 'first@example.com', text: expect.any(String) });
    expect((await iam.inbox.list()).length).toBeGreaterThan(1);
    const [newest] = await iam.inbox.list();
    await expect(iam.inbox.waitFor({ after: newest?.id, timeout: 20 })).rejects.toThrow(
      'No message arrived within 20 ms',
    );
    await iam.inbox.clear();
    expect(await iam.inbox.list()).toEqual([]);
    await expect(iam.inbox.waitFor({ to: 'x@example.com', purpose: 'mfa', timeout: 20 })).rejects.toThrow(
      'No message to x@example.com with purpose mfa arrived within 20 ms',
    );
  });
});

describe('the request log', () => {
  test('lists requests, and waits until enough requests match', async () => {
    await using iam = await startServer({ ...quick, seed });
    await iam.client.groups.list();
    const [first] = iam.requests.list({ operation: 'groups.list' });
    expect(first).toMatchObject({ operation: 'groups.list', status: 200, caller: iam.credentials.adminClientId });
    expect(iam.requests.get(first?.id ?? '')).toMatchObject({ ...first, query: {}, responseBody: expect.anything() });
    expect(iam.requests.get('unknown')).toBeUndefined();
    const waiting = iam.requests.waitFor({ operation: 'groups.list', status: '2xx', after: first?.id, count: 2 });
    await iam
      .as()
      .groups.list()
      .catch(() => undefined);
    await iam.client.groups.list();
    await iam.client.groups.list();
    const found = await waiting;
    expect(found.map(({ status }) => status)).toEqual([200, 200]);
    expect(await iam.requests.waitFor({ status: 401 })).toHaveLength(1);
    await expect(iam.requests.waitFor({ operation: 'groups.create', timeout: 20 })).rejects.toThrow(
      'Fewer than 1 matching requests arrived within 20 ms',
    );
    await expect(iam.requests.waitFor({ count: 0 })).rejects.toThrow(InputError);
  });

  test('is not available without the control plane', async () => {
    await using iam = await startServer({ settings: { 'disable-control-plane': true } });
    expect(() => iam.requests.list()).toThrow('requires the control plane');
  });
});

describe('the clock', () => {
  test('starts at the configured time and can be moved, reset and unfrozen', async () => {
    await using iam = await startServer({ ...quick, seed, clock: { at: noon, frozen: true } });
    expect(iam.clock.now().toISOString()).toBe(noon);
    const { accessToken, sessionId } = await iam.signIn('ann');
    expect(claimsOf(accessToken)).toMatchObject({ iat: Date.parse(noon) / 1000 });
    await iam.clock.toExpiry(accessToken, '-1s');
    expect(iam.clock.now().toISOString()).toBe('2026-03-01T12:59:59.000Z');
    iam.clock.advance(1000);
    expect(await statusOf(iam.as({ token: accessToken }).groups.list())).toBe(401);
    await iam.clock.toExpiry(sessionId);
    iam.clock.set('2030-01-01T00:00:00+01:00');
    expect(iam.clock.now().toISOString()).toBe('2029-12-31T23:00:00.000Z');
    iam.clock.reset();
    expect(iam.clock.now().toISOString()).toBe(noon);
    expect((await iam.client.raw('GET', '/_iam/clock')).body).toMatchObject({ now: noon, frozen: true });
    iam.clock.unfreeze();
    expect((await iam.client.raw('GET', '/_iam/clock')).body).toMatchObject({ frozen: false });
  });

  test('rejects invalid times and durations and does not change', async () => {
    await using iam = await startServer({ clock: { at: noon, frozen: true } });
    for (const wrong of ['soon', '10', Number.NaN, 1e20]) expect(() => iam.clock.advance(wrong)).toThrow(InputError);
    for (const wrong of ['soon', '2030-01-01', new Date(Number.NaN)])
      expect(() => iam.clock.set(wrong)).toThrow(InputError);
    await expect(iam.clock.toExpiry('nothing')).rejects.toThrow('No token, code or session');
    await expect(iam.clock.toExpiry('nothing', 'soon')).rejects.toThrow(InputError);
    expect(iam.clock.now().toISOString()).toBe(noon);
  });
});

describe('reset', () => {
  test('restores the state of a new server with the same seed', async () => {
    const options = { seed, clock: { at: noon, frozen: true } };
    await using used = await startServer(options);
    await using fresh = await startServer(options);
    const before = await readVisibleData(used);
    await used.client.groups.create({ body: { groupName: 'more', roles: ['VIEW'] } });
    await changeEmail(used, 'ann', 'else@example.com');
    await used.signIn('ann');
    await used.client.raw('POST', '/_iam/keys/rotate');
    used.clock.advance('7d');
    expect(normalizeDump(await readVisibleData(used))).not.toBe(normalizeDump(before));
    await used.reset();
    expect(await readVisibleData(used)).toEqual(before);
    const port = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1');
    expect(port(normalizeDump(await readVisibleData(used)))).toBe(port(normalizeDump(await readVisibleData(fresh))));
  });

  test('ends the sessions of users, and preserves client tokens and signing keys', async () => {
    await using iam = await startServer({ ...quick, seed });
    const ann = iam.as('ann');
    const keys = await iam.client.raw('GET', '/.well-known/jwks.json');
    expect(await statusOf(ann.groups.list())).toBe(200);
    await iam.reset();
    expect(await statusOf(ann.groups.list())).toBe(401);
    expect(await statusOf(iam.client.groups.list())).toBe(200);
    expect((await iam.client.raw('GET', '/.well-known/jwks.json')).body).toEqual(keys.body);
  });

  test('can be repeated, also concurrently, and takes less time than a start', async () => {
    const starting: Promise<IamServer>[] = [];
    const start = await measureCost(
      async () => {
        starting.push(startServer({ seed }));
        await starting[0];
      },
      { tries: 1 },
    );
    await using iam = await (starting[0] as Promise<IamServer>);
    const before = await iam.client.groups.list();
    let reset = Number.POSITIVE_INFINITY;
    for (let at = 0; at < 20; at += 1) {
      await iam.client.groups.create({ body: { groupName: 'again', roles: ['VIEW'] } });
      reset = Math.min(reset, await measureCost(() => Promise.all([iam.reset(), iam.reset()]), { tries: 1 }));
    }
    expect(reset).toBeLessThan(start);
    expect(await iam.client.groups.list()).toEqual(before);
  });

  test('ends pending waits for a message', async () => {
    await using iam = await startServer({ ...quick, seed });
    const waiting = statusOf(
      iam.client.raw('GET', '/_iam/inbox/wait?timeout=30').then(({ status }) => {
        if (status === 404) throw new Error('no message');
      }),
    );
    await iam.client.groups.list();
    await iam.reset();
    expect(await waiting).toBe(0);
  });
});

describe('a fork', () => {
  test('starts with the state and the time of its origin, and is independent of it', async () => {
    await using iam = await startServer({ ...quick, seed, clock: { at: noon, frozen: true } });
    await iam.client.groups.create({ body: { groupName: 'shared', roles: ['VIEW'] } });
    iam.clock.advance('1h');
    await using fork = await iam.fork();
    expect(fork.url).not.toBe(iam.url);
    expect(fork.credentials).toEqual(iam.credentials);
    expect([fork.clock.now(), (await readVisibleData(fork)).groups]).toEqual([
      iam.clock.now(),
      (await readVisibleData(iam)).groups,
    ]);
    const names = async (one: IamServer) => (await one.client.groups.list()).items.map(({ groupName }) => groupName);
    await fork.client.groups.create({ body: { groupName: 'of-the-fork', roles: ['VIEW'] } });
    await iam.client.groups.create({ body: { groupName: 'of-the-origin', roles: ['VIEW'] } });
    fork.clock.advance('1h');
    expect(await names(fork)).toEqual(expect.not.arrayContaining(['of-the-origin']));
    expect(await names(iam)).toEqual(expect.not.arrayContaining(['of-the-fork']));
    expect(fork.clock.now()).not.toEqual(iam.clock.now());
  });

  test('is reset to its initial state, and can be forked', async () => {
    await using iam = await startServer({ seed, ...quick });
    await iam.client.groups.create({ body: { groupName: 'shared', roles: ['VIEW'] } });
    await using fork = await iam.fork();
    await fork.client.groups.create({ body: { groupName: 'later', roles: ['VIEW'] } });
    await using second = await fork.fork();
    await fork.reset();
    const names = async (one: IamServer) => (await one.client.groups.list()).items.map(({ groupName }) => groupName);
    expect(await names(fork)).toEqual(expect.arrayContaining(['shared']));
    expect(await names(fork)).not.toContain('later');
    expect(await names(second)).toEqual(expect.arrayContaining(['shared', 'later']));
  });

  test('observes the heap for itself: when it stops, its origin still does', async () => {
    const [observe, disconnect] = (['observe', 'disconnect'] as const).map((name) =>
      vi.spyOn(PerformanceObserver.prototype, name),
    );
    await using iam = await startServer(quick);
    const [heap] = observe?.mock.contexts ?? [];
    expect(heap).toBeDefined();
    await (await iam.fork()).stop();
    expect(disconnect?.mock.contexts).not.toContain(heap);
    await iam.stop();
    expect(disconnect?.mock.contexts).toContain(heap);
    expect(disconnect?.mock.contexts.length).toBe(observe?.mock.contexts.length);
    vi.restoreAllMocks();
  });

  test('rejects the tokens of its origin', async () => {
    await using iam = await startServer({ ...quick, seed });
    const { accessToken: token } = await iam.signIn('ann');
    await using fork = await iam.fork();
    expect(await statusOf(iam.as({ token }).groups.list())).toBe(200);
    expect(await statusOf(fork.as({ token }).groups.list())).toBe(401);
  });
});

const isReachable = (iam: IamServer) =>
  fetch(`${iam.url}/healthz`).then(
    () => true,
    () => false,
  );

describe('a server stops', () => {
  test('with its forks and theirs', async () => {
    const iam = await startServer(quick);
    const fork = await iam.fork();
    const second = await fork.fork();
    await iam.stop();
    expect(await Promise.all([iam, fork, second].map(isReachable))).toEqual([false, false, false]);
  });

  test('when its signal aborts', async () => {
    const controller = new AbortController();
    const iam = await startServer({ ...quick, signal: controller.signal });
    expect(await isReachable(iam)).toBe(true);
    controller.abort();
    await iam.stop();
    expect(await isReachable(iam)).toBe(false);
  });

  test('and does not start, if the signal has aborted', async () => {
    await expect(startServer({ ...quick, signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
      'too late',
    );
    const controller = new AbortController();
    const starting = startServer({ ...quick, signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await expect(starting).rejects.toThrow('changed my mind');
  });

  test.each(['after', 'onTestFinished'])('after the test whose context has %s', async (method) => {
    const registered: (() => Promise<void>)[] = [];
    const scope = { [method]: (work: () => Promise<void>) => registered.push(work) } as unknown as TestScope;
    const iam = await startServer(scope, quick);
    expect(await isReachable(iam)).toBe(true);
    await registered[0]?.();
    expect(await isReachable(iam)).toBe(false);
  });

  test('after a test of vitest', async (context) => {
    const iam = await startServer(context, quick);
    expect(await isReachable(iam)).toBe(true);
  });
});
