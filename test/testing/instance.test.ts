/** Seeds, faults and sandboxes of the library, which do what HTTP does. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  ClientError,
  type IamInstance,
  type IamServer,
  type StartOptions,
  startServer,
} from '../../src/testing/index.ts';

const ann = { userId: 'ann', userName: 'ann.lee' };
const seed = {
  users: [ann],
  groups: [{ groupName: 'ops', roles: ['IAM_ADMIN_READ_ONLY'], users: ['ann'] }],
} satisfies StartOptions['seed'];
const quick = { settings: { 'fast-passwords': true } } as const;

const groupNames = async ({ client }: IamInstance) =>
  (await client.groups.list()).items.map(({ groupName }) => groupName);

const statusOf = (response: Promise<unknown>) =>
  response.then(
    () => 200,
    (error: unknown) => (error instanceof ClientError ? error.status : 0),
  );

describe('seed', () => {
  test('applies a document to the running server, and counts what happened', async () => {
    await using iam = await startServer({ ...quick, seed: { groups: [{ groupName: 'of-the-start' }] } });
    expect(await iam.seed(seed)).toEqual({
      users: { created: 1, updated: 0, unchanged: 0 },
      groups: { created: 1, updated: 0, unchanged: 0 },
    });
    expect(await iam.seed(seed)).toMatchObject({ users: { unchanged: 1 }, groups: { unchanged: 1 } });
    expect((await iam.client.raw('POST', '/_iam/seed', { body: seed })).body).toMatchObject({
      users: { unchanged: 1 },
    });
    expect(await groupNames(iam)).toEqual(expect.arrayContaining(['of-the-start', 'ops']));
    await iam.reset();
    expect(await groupNames(iam)).toContain('of-the-start');
    expect(await groupNames(iam)).not.toContain('ops');
  });

  test.each([
    [{ users: [{ userId: 'u', color: 'red' }] } as never, 'users[0].color: unknown key'],
    [{ groups: [{ groupName: 'a', users: ['unknown'] }] }, 'groups: a refers to unknown'],
    [{ settings: { 'user-token-lifetime': 5 } }, 'settings.user-token-lifetime: must equal'],
    ['/nonexistent/seed.yaml', "can't read the seed"],
  ])('rejects %j and applies nothing', async (wrong, message) => {
    await using iam = await startServer(quick);
    const before = await groupNames(iam);
    await expect(iam.seed(wrong)).rejects.toMatchObject({
      name: 'SeedError',
      message: expect.stringContaining(message),
    });
    expect(await groupNames(iam)).toEqual(before);
  });
});

test('a seed in a file that cannot be applied has the places of its problems', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-seed-'));
  const file = path.join(folder, 'seed.yaml');
  await writeFile(file, 'users:\n  - userId: u\ngroups:\n  - groupName: a\n    users: [u, gone]\n');
  await using iam = await startServer(quick);
  const expected = {
    name: 'SeedError',
    message: `${file}:5:16: groups[0].users[1]: a refers to gone, which does not exist`,
  };
  await expect(iam.seed(file)).rejects.toMatchObject(expected);
  await expect(iam.sandboxes.create('box', { seed: file })).rejects.toMatchObject(expected);
  await expect(startServer({ ...quick, seed: file })).rejects.toMatchObject(expected);
  await rm(folder, { recursive: true });
});

test('tokens are wrong on purpose, as of HTTP', async () => {
  await using iam = await startServer({ ...quick, seed });
  const { accessToken, userId, claims } = await iam.tokens.issue({
    for: 'ann.lee',
    claims: { aud: 'https://other.example' },
  });
  expect([userId, claims.aud]).toEqual(['ann', 'https://other.example']);
  expect(await statusOf(iam.as({ token: accessToken }).groups.list())).toBe(401);
  expect(iam.requests.list()[0]).toMatchObject({ testToken: 'aud', errors: ['TOKEN_INVALID'] });
  await expect(iam.tokens.issue({ for: 'ann', alg: 'HS512' as never })).rejects.toThrow(/alg.*ES256.*HS256/);
  await expect(iam.tokens.issue({ for: 'unknown' })).rejects.toThrow('User or client unknown not found');
});

describe('faults', () => {
  test('are added, listed with their counts, removed and cleared; HTTP has the same rules', async () => {
    await using iam = await startServer(quick);
    const rule = iam.faults.add({ operation: 'groups.list', every: 2, effect: { status: 503 } });
    iam.faults.add({ effect: { latency: '1ms', jitter: '1ms' } });
    expect(await statusOf(iam.client.groups.list())).toBe(200);
    expect((await iam.client.raw('GET', '/security/iam/v1/groups')).status).toBe(503);
    expect(iam.faults.list()).toMatchObject([
      { id: rule.id, operation: 'groups.list', matched: 2, applied: 1 },
      { effect: { latency: '1ms', jitter: '1ms' } },
    ]);
    expect((await iam.client.raw('GET', '/_iam/faults')).body).toEqual(iam.faults.list());
    iam.faults.remove(rule.id);
    expect(iam.faults.list()).toHaveLength(1);
    expect(() => iam.faults.remove(rule.id)).toThrow('Fault not found');
    iam.faults.clear();
    expect(iam.faults.list()).toEqual([]);
  });

  test('are rejected if they are not valid, and cleared by a reset', async () => {
    await using iam = await startServer(quick);
    for (const wrong of [
      { operation: 'groups.lst' as 'groups.list', effect: { status: 503 } },
      { effect: {} },
      { effect: { latency: 'x' } },
    ])
      expect(() => iam.faults.add(wrong)).toThrow(/must be/);
    expect(iam.faults.list()).toEqual([]);
    iam.faults.add({ effect: { status: 503 } });
    await iam.reset();
    expect(iam.faults.list()).toEqual([]);
  });

  test('and sandboxes are not available without the control plane, and faults without test features', async () => {
    await using iam = await startServer({ settings: { 'disable-control-plane': true } });
    expect(() => iam.faults.list()).toThrow('requires the control plane');
    await expect(iam.sandboxes.create('one')).rejects.toThrow('requires the control plane');
    await using off = await startServer({ settings: { 'test-features': 'off' } });
    expect(() => off.faults.add({ effect: { status: 503 } })).toThrow('Test features are disabled');
  });
});

describe('a sandbox', () => {
  test('is used like a server, and is isolated from it', async () => {
    await using iam = await startServer({ ...quick, seed });
    await using sandbox = await iam.sandboxes.create('one');
    expect([sandbox.name, sandbox.url]).toEqual(['one', `${iam.url}/s/one`]);
    expect(sandbox.baseUrl).toBe(`${iam.url}/s/one/security/iam/v1`);
    await sandbox.client.groups.create({ body: { groupName: 'mine', roles: ['VIEW'] } });
    expect(await groupNames(sandbox)).toEqual(expect.arrayContaining(['ops', 'mine']));
    expect(await groupNames(iam)).not.toContain('mine');
    expect(await statusOf(sandbox.as('ann', { level: 'AUTH-MFA' }).groups.list())).toBe(200);
    const { accessToken: token } = await sandbox.signIn('ann.lee');
    expect(await statusOf(iam.as({ token }).groups.list())).toBe(401);
    sandbox.clock.advance('90d');
    expect(await statusOf(sandbox.as({ token }).groups.list())).toBe(401);
    expect(sandbox.clock.now().getTime() - iam.clock.now().getTime()).toBeGreaterThan(89 * 86_400_000);
    sandbox.faults.add({ operation: 'groups.list', times: 1, effect: { status: 503 } });
    expect((await sandbox.client.raw('GET', '/security/iam/v1/groups')).status).toBe(503);
    expect(sandbox.requests.list({ operation: 'groups.list', status: 503 })).toHaveLength(1);
    expect(iam.requests.list({ operation: 'groups.list', status: 503 })).toEqual([]);
    expect(iam.sandboxes.list()).toMatchObject([{ name: 'one', url: sandbox.url }]);
  });

  test('has the seed of its options, also from a second one, and its reset returns to it', async () => {
    await using iam = await startServer({ ...quick, clock: { at: '2030-01-31T12:00:00Z', frozen: true } });
    await using sandbox = await iam.sandboxes.create('one', { seed });
    expect(sandbox.credentials.adminClientSecret).not.toBe(iam.credentials.adminClientSecret);
    expect(sandbox.credentials.adminPassword).not.toBe(iam.credentials.adminPassword);
    await sandbox.seed({ groups: [{ groupName: 'later' }] });
    sandbox.clock.advance('1h');
    sandbox.faults.add({ effect: { latency: '1ms' } });
    expect(await groupNames(sandbox)).toContain('later');
    await sandbox.reset();
    expect(await groupNames(sandbox)).toContain('ops');
    expect(await groupNames(sandbox)).not.toContain('later');
    expect(sandbox.clock.now().toISOString()).toBe('2030-01-31T12:00:00.000Z');
    expect(sandbox.faults.list()).toEqual([]);
    await expect(iam.sandboxes.create('one', { seed })).rejects.toThrow('A sandbox "one" already exists');
  });

  test.each([
    ['a/b', {}, 'must be 1 to 64 letters'],
    ['one', { seed: { groups: [{ groupName: 'a', users: ['unknown'] }] } }, 'refers to unknown'],
    ['one', { seed: { settings: { 'user-token-lifetime': 5 } } }, 'must equal the setting of the server'],
  ])('is not created as %j with %j', async (name, options, message) => {
    await using iam = await startServer(quick);
    await expect(iam.sandboxes.create(name, options)).rejects.toThrow(message);
    expect(iam.sandboxes.list()).toEqual([]);
  });

  test('is deleted by itself, by name, at the end of a block, and with its server', async () => {
    const iam = await startServer(quick);
    const one = await iam.sandboxes.create('one');
    await one.delete();
    {
      await using two = await iam.sandboxes.create('two');
      expect(await groupNames(two)).not.toEqual([]);
    }
    expect(iam.sandboxes.list()).toEqual([]);
    const three = await iam.sandboxes.create('three');
    iam.sandboxes.delete('three');
    expect(() => iam.sandboxes.delete('three')).toThrow('Sandbox not found');
    // Another sandbox of this name is not deleted.
    await using again = await iam.sandboxes.create('three', { seed });
    await three.delete();
    expect(await groupNames(again)).toContain('ops');
    await iam.stop();
    await expect(fetch(again.url)).rejects.toThrow();
  });

  test('of a name in use is an error, unless it is reused', async () => {
    await using iam = await startServer(quick);
    const both = ['one', 'one'].map((name) => iam.sandboxes.create(name));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(iam.sandboxes.create('one')).rejects.toThrow('A sandbox "one" already exists');
    await using same = await iam.sandboxes.create('one', { reuse: true });
    expect(same.url).toBe(`${iam.url}/s/one`);
    await expect(iam.sandboxes.create('one', { reuse: true, seed })).rejects.toThrow('exclude each other');
  });

  test('of a fork starts with the state of the fork', async () => {
    await using iam = await startServer({ ...quick, seed });
    await iam.client.groups.create({ body: { groupName: 'shared', roles: ['VIEW'] } });
    await using fork = await iam.fork();
    await fork.client.groups.create({ body: { groupName: 'later', roles: ['VIEW'] } });
    await using sandbox = await fork.sandboxes.create('one');
    expect(await groupNames(sandbox)).toEqual(expect.arrayContaining(['ops', 'shared']));
    expect(await groupNames(sandbox)).not.toContain('later');
    const { accessToken: token } = await fork.signIn('ann');
    expect(await statusOf(sandbox.as({ token }).groups.list())).toBe(401);
  });
});

describe('a reset has one scope, by the library and by HTTP:', () => {
  const resets: [string, (iam: IamServer) => Promise<unknown>][] = [
    ['iam.reset()', (iam) => iam.reset()],
    ['POST /_iam/state/reset', (iam) => iam.client.raw('POST', '/_iam/state/reset')],
  ];

  test.each(resets)('%s restores the data and the clock and keeps the sandboxes', async (_name, reset) => {
    await using iam = await startServer({ ...quick, seed, clock: { at: '2030-01-31T12:00:00Z', frozen: true } });
    await using sandbox = await iam.sandboxes.create('one');
    for (const place of [iam, sandbox]) {
      await place.client.groups.create({ body: { groupName: 'more', roles: ['VIEW'] } });
      place.clock.advance('1h');
      place.faults.add({ effect: { latency: '1ms' } });
    }
    const user = sandbox.as('ann', { level: 'AUTH-MFA' });
    expect(await statusOf(user.groups.list())).toBe(200);
    await reset(iam);
    expect(await groupNames(iam)).not.toContain('more');
    expect([iam.clock.now().toISOString(), iam.faults.list()]).toEqual(['2030-01-31T12:00:00.000Z', []]);
    expect(iam.requests.list({ operation: 'groups.create' })).toEqual([]);
    // The sandbox continues with its users, clock and faults.
    expect(iam.sandboxes.list()).toMatchObject([{ name: 'one' }]);
    expect(await groupNames(sandbox)).toContain('more');
    expect(await statusOf(user.groups.list())).toBe(200);
    expect([sandbox.clock.now().toISOString(), sandbox.faults.list().length]).toEqual(['2030-01-31T13:00:00.000Z', 1]);
    await using later = await iam.sandboxes.create('two');
    expect(await groupNames(later)).not.toContain('more');
  });

  test.each(resets)('%s returns a fork to the state that it began with', async (_name, reset) => {
    await using iam = await startServer({ ...quick, seed });
    await iam.client.groups.create({ body: { groupName: 'shared', roles: ['VIEW'] } });
    await using fork = await iam.fork();
    await fork.client.groups.create({ body: { groupName: 'later', roles: ['VIEW'] } });
    await reset(fork);
    expect(await groupNames(fork)).toEqual(expect.arrayContaining(['ops', 'shared']));
    expect(await groupNames(fork)).not.toContain('later');
  });
});

test('behind a proxy, the address where it listens is another than the public one', async () => {
  const publicUrl = 'https://iam.example.com';
  await using iam = await startServer({ settings: { 'fast-passwords': true, 'base-url': publicUrl } });
  await using sandbox = await iam.sandboxes.create('one');
  await using fork = await iam.fork();
  expect([iam.publicUrl, sandbox.publicUrl]).toEqual([publicUrl, `${publicUrl}/s/one`]);
  expect([sandbox.url, iam.sandboxes.list()[0]?.url]).toEqual([`${iam.url}/s/one`, `${iam.url}/s/one`]);
  // The proxy leads to the origin.
  expect(fork.publicUrl).toBe(fork.url);
  for (const place of [iam, sandbox, fork]) {
    expect(place.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(await groupNames(place)).not.toEqual([]);
  }
  const { accessToken } = await iam.client.clientIdentities.login();
  expect(JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
    iss: publicUrl,
  });
});
