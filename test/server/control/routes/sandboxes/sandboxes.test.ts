import { describe, expect, test } from 'vitest';
import { createClient } from '../../../../../src/client/index.ts';
import { maxSandboxes, sandboxIdleMinutes } from '../../../../../src/server/sandboxes/sandboxes.ts';
import { openFork } from '../../../../../src/server/store/memory/memory-store.ts';
import { Overlay } from '../../../../../src/server/store/memory/overlay.ts';
import { rounds } from '../../../../effort.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { measureCost } from '../../../../security/measure-cost.ts';
import { sharedServer } from '../../../operations/access.ts';
import { readAllPages, send } from '../../control-client.ts';
import { readStableTables, seed } from '../state/state-client.ts';

const path = '/_iam/sandboxes';
const make = (server: TestServer, name: unknown) => send(server, path, { method: 'POST', body: { name } });
const groupsPath = '/security/iam/v1/groups';
const basic = {
  Authorization: `Basic ${Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64')}`,
};

/** Obtains the token of the administrator client through the public API of a service. */
async function tokenOf(server: TestServer, at = ''): Promise<string> {
  const response = await send(server, `${at}/security/iam/v1/client-identities/login`, {
    method: 'POST',
    headers: basic,
  });
  return (response.body as { accessToken?: string }).accessToken ?? JSON.stringify(response.body);
}

function createGroup(server: TestServer, at: string, groupName: string) {
  return send(server, at + groupsPath, { method: 'POST', headers: basic, body: { groupName } });
}

async function groupNames(server: TestServer, at: string): Promise<string[]> {
  const { body } = await send(server, `${at}${groupsPath}?limit=200`, { headers: basic });
  return (body as { groupName: string }[]).map(({ groupName }) => groupName);
}

describe('a sandbox', () => {
  test('is created by its first use, starts with the seed, and is an independent service', async () => {
    await using server = await startServer({ seed });
    await createGroup(server, '', 'of-the-main-one');
    expect(await createGroup(server, '/s/one', 'of-one')).toMatchObject({ status: 201 });
    expect(await groupNames(server, '/s/one')).toEqual(expect.arrayContaining(['ops', 'of-one']));
    expect(await groupNames(server, '/s/one')).not.toContain('of-the-main-one');
    expect(await groupNames(server, '')).not.toContain('of-one');
    expect(await groupNames(server, '/s/two')).not.toContain('of-one');
    const client = createClient({ baseUrl: `${server.url}/s/one`, credentials: { basic: adminClient } });
    expect((await client.groups.list()).items.length).toBeGreaterThan(5);
    await client.close();
    expect(await send(server, path)).toMatchObject({ body: [{ name: 'one' }, { name: 'two' }] });
    const appContext = await server.appContext.sandboxes.open('two', true);
    expect(await readStableTables({ ...server, dump: async () => dumpOf(appContext) } as TestServer)).toMatchObject({
      users: expect.arrayContaining([expect.objectContaining({ userId: 'alice' })]),
      sessions: [],
    });
  });

  test('has its own issuer and keys: a token is valid in one sandbox only', async () => {
    await using server = await startServer({ seed });
    const places = ['', '/s/one', '/s/two'];
    const tokens = await Promise.all(places.map((at) => tokenOf(server, at)));
    for (const [from, token] of tokens.entries()) {
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iss: string };
      expect(claims.iss).toBe(server.url + places[from]);
      for (const [to, at] of places.entries()) {
        const response = await send(server, at + groupsPath, { headers: { Authorization: `Bearer ${token}` } });
        expect(response.status, `${from} -> ${to}`).toBe(from === to ? 200 : 401);
      }
    }
  });

  test('has its own control plane', async () => {
    await using server = await startServer({ seed });
    await createGroup(server, '/s/one', 'of-one');
    expect(await send(server, '/s/one/_iam/state/reset', { method: 'POST' })).toMatchObject({ status: 204 });
    expect(await groupNames(server, '/s/one')).toEqual(expect.not.arrayContaining(['of-one']));
    expect(await groupNames(server, '/s/one')).toContain('ops');
    expect(await send(server, '/s/one/_iam/users?limit=1')).toMatchObject({
      status: 206,
      headers: { link: expect.stringContaining(`${server.url}/s/one/_iam/users?`) },
    });
    expect(await send(server, `/s/one${path}`)).toMatchObject({ status: 200, body: [] });
    expect(await send(server, `/s/one${path}`, { method: 'POST', body: { name: 'x' } })).toMatchObject({ status: 404 });
    expect(await send(server, `/s/one/s/two${groupsPath}`, { headers: basic })).toMatchObject({ status: 404 });
  });

  test('counts failures separately', async () => {
    await using server = await startServer({ seed });
    const headers = { Authorization: `Basic ${btoa('ann:wrong')}` };
    const logIn = (prefix: string) =>
      send(server, `${prefix}/security/iam/v1/user-identities/login?clientId=${appClientId}`, {
        method: 'POST',
        headers,
      });
    for (let count = 0; count < 10; count += 1) expect(await logIn('/s/one')).toMatchObject({ status: 401 });
    expect(await logIn('/s/one')).toMatchObject({ status: 429 });
    expect(await logIn('/s/two')).toMatchObject({ status: 401 });
    expect(await logIn('')).toMatchObject({ status: 401 });
  });

  test('is created once by concurrent requests; and many sandboxes are isolated from each other', async () => {
    await using server = await startServer({ seed });
    const first = await Promise.all(
      Array.from({ length: 100 }, (_, number) => createGroup(server, '/s/same', `group-${number}`)),
    );
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await groupNames(server, '/s/same')).filter((name) => name.startsWith('group-'))).toHaveLength(100);
    const names = Array.from({ length: rounds(200) }, (_, number) => `n${number}`);
    // In batches of fifty: more connections at once would exceed the connection timeout.
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => createGroup(server, `/s/${name}`, `of-${name}`)));
    for (const name of names)
      expect((await groupNames(server, `/s/${name}`)).filter((one) => one.startsWith('of-'))).toEqual([`of-${name}`]);
  });

  test('is deleted when idle and starts again with the seed', async () => {
    await using server = await startServer({ seed });
    await createGroup(server, '/s/one', 'of-one');
    const token = await tokenOf(server, '/s/one');
    server.clock.advance(sandboxIdleMinutes * 60 - 1);
    expect(await groupNames(server, '/s/one')).toContain('of-one');
    server.clock.advance(sandboxIdleMinutes * 60);
    expect(await send(server, path)).toMatchObject({ body: [] });
    expect(await groupNames(server, '/s/one')).not.toContain('of-one');
    const headers = { Authorization: `Bearer ${token}` };
    expect(await send(server, `/s/one${groupsPath}`, { headers })).toMatchObject({ status: 401 });
  });

  test('has its own clock, which starts with the main one and is independent of it', async () => {
    await using server = await startServer({ seed });
    const clockOf = async (at: string) => (await send(server, `${at}/_iam/clock`)).body;
    const adjust = (at: string, body: object) => send(server, `${at}/_iam/clock`, { method: 'PUT', body });
    await adjust('', { set: '2030-01-31T12:00:00Z', freeze: true });
    const frozen = await clockOf('');
    expect(await clockOf('/s/one')).toEqual(frozen);
    await adjust('/s/one', { advance: '90d' });
    await adjust('/s/two', { reset: true });
    expect(await clockOf('/s/one')).toMatchObject({ now: '2030-05-01T12:00:00.000Z', frozen: true });
    expect(await clockOf('/s/two')).toMatchObject({ now: '2026-03-01T12:00:00.000Z', frozen: false, offset: 0 });
    expect([await clockOf(''), await clockOf('/s/three')]).toEqual([frozen, frozen]);
    // Expiry follows the clock of the sandbox.
    const [one, two] = [await tokenOf(server, '/s/one'), await tokenOf(server, '/s/two')];
    await adjust('/s/one', { advance: '61m' });
    const sendRequest = (at: string, token: string) =>
      send(server, at + groupsPath, { headers: { Authorization: `Bearer ${token}` } });
    expect([(await sendRequest('/s/one', one)).status, (await sendRequest('/s/two', two)).status]).toEqual([401, 200]);
    await adjust('', { advance: '90d', freeze: false });
    const names = async () => ((await send(server, path)).body as { name: string }[]).map(({ name }) => name);
    expect(await names()).toEqual(['one', 'three', 'two']);
    await adjust('', { freeze: true });
    await adjust('/s/one', { freeze: true });
    server.clock.advance(sandboxIdleMinutes * 60);
    expect(await names()).toEqual([]);
  });

  test('is deleted, and ends the requests that wait in it', async () => {
    await using server = await startServer();
    expect(await make(server, 'one')).toMatchObject({
      status: 200,
      body: { name: 'one', baseUrl: `${server.url}/s/one` },
    });
    const waiting = send(server, '/s/one/_iam/inbox/wait?timeout=20');
    await send(server, '/s/one/_iam/users');
    expect(await send(server, `${path}/one`, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await waiting).toMatchObject({ status: 404 });
    expect(await send(server, `${path}/one`, { method: 'DELETE' })).toMatchObject({
      status: 404,
      body: [{ code: 'SANDBOX_NOT_FOUND' }],
    });
  });

  test('is limited in number, where a new one replaces one that was only read', async () => {
    await using server = await startServer();
    const names = Array.from({ length: maxSandboxes }, (_, number) => `n${String(number).padStart(3, '0')}`);
    for (const name of names.slice(1)) await send(server, `/s/${name}/healthz`);
    await send(server, '/s/n000/_iam/keys/rotate', { method: 'POST' });
    const { sandboxes } = server.appContext;
    const listed = () => sandboxes.list().map(({ name }) => name);
    expect(listed()).toHaveLength(maxSandboxes);
    expect(await send(server, '/s/another/healthz')).toMatchObject({ status: 200 });
    expect(listed()).toHaveLength(maxSandboxes);
    expect(listed()).toEqual(expect.arrayContaining(['n000', 'another']));
    for (const name of listed()) await sandboxes.open(name, true);
    for (const name of listed().slice(-20)) sandboxes.delete(name);
    const responses = await Promise.all(Array.from({ length: 40 }, (_, number) => make(server, `m${number}`)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    const tooMany = { status: 412, body: [{ code: 'TOO_MANY_SANDBOXES' }] };
    expect(responses.at(-1)).toMatchObject(tooMany);
    expect(await send(server, `/s/late${groupsPath}`)).toMatchObject(tooMany);
    expect(await send(server, '/s/late/healthz')).toMatchObject(tooMany);
    // An existing one is not created again.
    expect(await make(server, 'n000')).toMatchObject({ status: 200 });
    expect((await readAllPages(server, `${path}?limit=${maxSandboxes - 1}`)).statuses).toEqual([206, 200]);
  });

  const shared = sharedServer(() => startServer());

  test.each(['', '-a', '.a', 'a/b', 'a b', 'x'.repeat(65), 7])('cannot be named %j', async (name) => {
    const server = shared();
    expect((await make(server, name)).status).toBeOneOf([400, 422]);
    expect(await send(server, `/s/${encodeURIComponent(String(name)) || '%20'}${groupsPath}`)).toMatchObject(
      name === 7 ? { status: 401 } : { status: 404, body: [{ code: 'PATH_UNKNOWN' }] },
    );
  });
});

async function dumpOf({ store }: TestServer['appContext']): Promise<Record<string, unknown>> {
  return { users: await store.users.list(), sessions: await store.sessions.list() };
}

describe('permission to create one', () => {
  test('is denied to pages of other sites and other host names, on a loopback-only server', async () => {
    await using server = await startServer();
    const { port } = new URL(server.url);
    const site = (value: string) => ({
      'Sec-Fetch-Site': value,
      'Sec-Fetch-Mode': 'no-cors',
      'Sec-Fetch-Dest': 'image',
    });
    const elsewhere: [Record<string, string>, number][] = [
      [{ Origin: 'https://evil.example' }, 404],
      [{ Origin: 'null' }, 404],
      [{ Host: `evil.example:${port}` }, 421],
      [site('cross-site'), 404],
      [site('same-site'), 404],
      [{ ...site('cross-site'), 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }, 404],
    ];
    await make(server, 'there');
    for (const [headers, status] of elsewhere) {
      for (const rest of [groupsPath, '/_iam/users', '/', '/healthz', '/_iam/docs'])
        expect(await send(server, `/s/one${rest}`, { headers })).toMatchObject({ status });
      expect((await send(server, '/s/there/_iam/users', { headers })).status).toBe(status === 404 ? 403 : 421);
    }
    expect(server.appContext.sandboxes.list().map(({ name }) => name)).toEqual(['there']);
  });

  test('is denied to what the console reads, which would create a deleted one again', async () => {
    await using server = await startServer();
    const headers = { 'X-Requested-With': 'iam-console', 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' };
    expect(await send(server, '/s/one/_iam/clock', { headers })).toMatchObject({
      status: 404,
      body: [{ code: 'SANDBOX_NOT_FOUND' }],
    });
    expect(server.appContext.sandboxes.list()).toEqual([]);
  });

  test('is limited to administrators, on a remotely reachable server', async () => {
    await using remote = await startServer({ flags: { host: '0.0.0.0', 'allow-remote': true } });
    expect(await send(remote, `/s/one${groupsPath}`, { headers: basic })).toMatchObject({ status: 404 });
    expect(await make(remote, 'one')).toMatchObject({ status: 401 });
    expect(remote.appContext.sandboxes.list()).toEqual([]);
    const created = await send(remote, path, { method: 'POST', headers: basic, body: { name: 'one' } });
    expect(created).toMatchObject({ status: 200 });
    expect(await send(remote, `/s/one${groupsPath}`, { headers: basic })).toMatchObject({ status: 200 });
    expect(await send(remote, '/s/one/_iam/users')).toMatchObject({ status: 401 });
  });

  test('is denied to all if the control plane is disabled', async () => {
    await using off = await startServer({ flags: { 'disable-control-plane': true } });
    expect(await send(off, `/s/one${groupsPath}`, { headers: basic })).toMatchObject({
      status: 404,
      body: [{ code: 'PATH_UNKNOWN' }],
    });
    expect(off.appContext.sandboxes.list()).toEqual([]);
  });
});

describe('a fork of a store', () => {
  const user = (number: number) => {
    const userId = `user-${String(number).padStart(5, '0')}`;
    const rest = { emailVerified: false, mobileVerified: false, lead: false, locked: false, identities: [] };
    return { userId, userName: userId, ...rest, createdAt: '2026-03-01T12:00:00.000Z' };
  };
  const base = new Overlay('base');
  base.load(
    'users',
    Array.from({ length: 10_000 }, (_, number) => user(number)),
  );

  test('shares every row until it changes it, and never changes shared rows', async () => {
    const forks = Array.from({ length: 100 }, () => openFork(base));
    const [one, two] = forks;
    if (!one || !two) throw new Error('there are no forks');
    for (const fork of forks)
      expect(await fork.users.get('user-00042')).toBe(base.peek('users')?.rows.get('user-00042'));
    await one.transaction(async (tx) => {
      await tx.users.delete('user-00001');
      await tx.users.replace({ ...user(2), locked: true });
      await tx.users.insert({ ...user(1), userId: 'new' });
    });
    expect([await one.users.count(), await two.users.count(), base.peek('users')?.rows.size]).toEqual([
      10_000, 10_000, 10_000,
    ]);
    expect(await one.users.getBy('login', 'user-00001')).toMatchObject({ userId: 'new' });
    expect(await two.users.getBy('login', 'user-00001')).toMatchObject({ userId: 'user-00001' });
    expect((await one.users.list({ limit: 3 })).map(({ userId }) => userId)).toEqual([
      'new',
      'user-00000',
      'user-00002',
    ]);
    expect(await two.users.get('user-00002')).toMatchObject({ locked: false });
    await expect(two.transaction((tx) => tx.users.insert(user(3)))).rejects.toThrow('already exists');
  });

  test('takes almost no time and memory', async () => {
    const forkOften = () => {
      for (let count = 0; count < 1_000; count += 1) openFork(base);
    };
    expect(await measureCost(forkOften, { enough: 1_000 })).toBeLessThan(1_000);
  });
});
