/** The first start bootstraps the store; later starts change only what their settings request. */
import { describe, expect, test } from 'vitest';
import { type BootstrapResult, bootstrap } from '../../../src/server/bootstrap.ts';
import { readSettings, SettingError } from '../../../src/server/config/settings.ts';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { secretMatches } from '../../../src/server/lib/secrets.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { startSession } from '../../../src/server/sessions/sessions.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { type Client, type TableName, tables } from '../../../src/server/store/tables.ts';
import { hashPassword, verifyPasswordHash } from '../../../src/server/users/passwords.ts';
import { createFakeClock } from '../../harness.ts';

/** Starts repeatedly on one store, one hour apart. */
function starts() {
  const store = openMemoryStore();
  const clock = createFakeClock();
  const ids = createIds(clock, systemRandom);
  const parts = { store, clock, ids, random: systemRandom };
  return {
    store,
    start(
      environment: Record<string, string> = {},
      flags: Record<string, string | boolean> = {},
    ): Promise<BootstrapResult> {
      clock.advance(3600);
      return bootstrap({ ...parts, settings: readSettings(flags, environment) });
    },
    seed: (seed: Parameters<typeof applySeed>[0]) => applySeed(seed, parts),
    async dump() {
      const names = Object.keys(tables) as TableName[];
      return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await store[name].list()])));
    },
    admin: async () => {
      const [client, user] = [
        await store.clients.getBy('bootstrap', 'admin'),
        await store.users.getBy('bootstrap', 'admin'),
      ];
      if (!client || !user) throw new Error('client or user not found');
      return { client, user };
    },
  };
}

describe('a fresh store', () => {
  test('gets groups with inherited roles', async () => {
    const { start, store } = starts();
    await start();
    const groups = await store.groups.list();
    const names = new Map(groups.map(({ groupId, groupName }) => [groupId, groupName]));
    const result = groups.map(({ groupName, roles, dependencies }) => [
      groupName,
      roles,
      dependencies.map((id) => names.get(id)),
    ]);
    expect(result).toEqual([
      ['iam-administrators', ['ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'], []],
      ['iam-auditors', ['IAM_ADMIN_READ_ONLY'], []],
      ['business-users', ['BUSINESSUSER'], []],
      ['business-admins', ['BUSINESSADMIN'], ['business-users']],
      ['business-owners', ['BUSINESSOWNER'], ['business-admins']],
    ]);
  });

  test('gets clients and a user with random secrets that are returned once and stored as hashes', async () => {
    const [one, other] = [starts(), starts()];
    const [result, otherResult] = [await one.start(), await other.start()];
    const { client, user } = await one.admin();
    expect(client).toMatchObject({
      party: '1STPARTY',
      authorities: ['AUTH-BASIC', 'AUTH-MFA', 'ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'],
    });
    expect(secretMatches(result.adminClientSecret ?? '', client.secretHash)).toBe(true);
    expect(await verifyPasswordHash(result.adminPassword ?? '', user.passwordHash ?? '')).toBe(true);
    expect(user).toMatchObject({ userName: 'admin', emailVerified: true, locked: false });
    expect(await one.store.memberships.list()).toMatchObject([{ kind: 'user', memberId: user.userId }]);
    const app = await one.store.clients.get(result.appClientId);
    expect(app).toMatchObject({
      scope: ['READ', 'WRITE'],
      authorities: [],
      factorVisibility: 'UNRESTRICTED',
      party: '1STPARTY',
    });
    expect(app).not.toHaveProperty('secretHash');
    const secrets = [result, otherResult].flatMap(({ adminClientSecret, adminPassword }) => [
      adminClientSecret,
      adminPassword,
    ]);
    expect(new Set(secrets).size).toBe(4);
    for (const secret of secrets) expect(Buffer.from(secret ?? '', 'base64url').length).toBeGreaterThanOrEqual(16);
    const everything = JSON.stringify(await one.dump());
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });

  test('uses configured secrets and does not return them', async () => {
    const { start, admin } = starts();
    const result = await start({
      IAM_ADMIN_CLIENT_ID: 'root-client',
      IAM_ADMIN_CLIENT_SECRET: 'canary-secret',
      IAM_APP_CLIENT_ID: 'web',
      IAM_ADMIN_USER: 'root@example.org',
      IAM_ADMIN_PASSWORD: 'canary-password',
    });
    expect(result).toEqual({ adminClientId: 'root-client', appClientId: 'web', adminUser: 'root@example.org' });
    const { client, user } = await admin();
    expect(secretMatches('canary-secret', client.secretHash)).toBe(true);
    expect(await verifyPasswordHash('canary-password', user.passwordHash ?? '')).toBe(true);
    expect(user).toMatchObject({ userName: 'root@example.org', userEmail: 'root@example.org', emailVerified: true });
  });
});

describe('a configured password', () => {
  const names = { IAM_ADMIN_USER: 'canary', IAM_ADMIN_EMAIL: 'rooster@example.org' };
  const weak: [string, string][] = [
    ['qwertyuiop', 'must not be one of the most common passwords'],
    ['QwertyUiop', 'must not be one of the most common passwords'],
    ['the-Canary-sings', 'must not contain the user name'],
    ['rooster-in-the-morning', 'must not contain the user name, the local part'],
    ['the iam-standin of mine', 'must not contain'],
  ];
  test.each(weak)('as weak as %j stops the start and is not repeated', async (password, reason) => {
    const { start, dump } = starts();
    const starting = start({ ...names, IAM_ADMIN_PASSWORD: password });
    await expect(starting).rejects.toThrow(`IAM_ADMIN_PASSWORD ${reason}`);
    await expect(starting).rejects.not.toThrow(password);
    await expect(starting).rejects.toBeInstanceOf(SettingError);
    expect(Object.values(await dump()).flat()).toEqual([]);
  });

  test('is checked against the name of the administrator', async () => {
    const { start } = starts();
    await expect(start({ IAM_ADMIN_PASSWORD: 'one admin is enough' })).rejects.toThrow('IAM_ADMIN_PASSWORD must not');
    await start(names);
    await expect(start({ IAM_ADMIN_PASSWORD: 'one canary is enough' })).rejects.toThrow('IAM_ADMIN_PASSWORD must not');
    await expect(start({ IAM_ADMIN_PASSWORD: 'one admin is enough' })).resolves.toBeDefined();
  });

  test('that is already set is not checked again', async () => {
    const { start, store, admin } = starts();
    await start();
    const { user } = await admin();
    const passwordHash = await hashPassword('qwertyuiop');
    await store.transaction((tx) => tx.users.replace({ ...user, passwordHash }));
    await expect(start({ IAM_ADMIN_PASSWORD: 'qwertyuiop' })).resolves.toBeDefined();
  });
});

describe('a later start', () => {
  test('returns no secret and changes nothing', async () => {
    const { start, dump } = starts();
    const first = await start();
    const before = await dump();
    const { adminClientId, appClientId, adminUser } = first;
    expect(await start()).toEqual({ adminClientId, appClientId, adminUser });
    expect(await dump()).toEqual(before);
  });

  test('with the same configured secrets changes nothing', async () => {
    const { start, dump } = starts();
    const configured = {
      IAM_ADMIN_CLIENT_SECRET: 'configured',
      IAM_ADMIN_PASSWORD: 'configured-password',
      IAM_ADMIN_USER: 'root',
    };
    await start(configured);
    const before = await dump();
    await start(configured);
    expect(await dump()).toEqual(before);
  });

  test('applies a changed secret, password and names, and revokes earlier tokens', async () => {
    const { start, admin } = starts();
    const result = await start();
    expect((await admin()).client).not.toHaveProperty('tokenGeneration');
    await start({
      IAM_ADMIN_CLIENT_SECRET: 'new',
      IAM_ADMIN_PASSWORD: 'new-password',
      IAM_ADMIN_USER: 'boss@example.org',
    });
    const { client, user } = await admin();
    expect(secretMatches('new', client.secretHash)).toBe(true);
    expect(secretMatches(result.adminClientSecret ?? '', client.secretHash)).toBe(false);
    expect(client.tokenGeneration).toBe(1);
    expect(await verifyPasswordHash('new-password', user.passwordHash ?? '')).toBe(true);
    expect(user).toMatchObject({ userName: 'boss@example.org', userEmail: 'boss@example.org' });
  });

  test('with a new password ends the sessions of the administrator, with the same one none', async () => {
    const { start, store, admin } = starts();
    const configured = { IAM_ADMIN_PASSWORD: 'configured-password', IAM_ADMIN_USER: 'root' };
    await start(configured);
    const { userId } = (await admin()).user;
    const client = (await store.clients.getBy('bootstrap', 'app')) as Client;
    const session = { client, userId, level: 'AUTH-BASIC', remember: false, renewable: true } as const;
    const deps = { clock: createFakeClock(), random: systemRandom, settings: readSettings({}, {}) };
    await store.transaction((tx) => startSession(tx, session, deps));
    await start(configured);
    expect([await store.sessions.count(), await store.refreshTokens.count()]).toEqual([1, 1]);
    await start({ ...configured, IAM_ADMIN_PASSWORD: 'new-password' });
    expect([await store.sessions.count(), await store.refreshTokens.count()]).toEqual([0, 0]);
  });

  test('with another client id replaces the client, whose id is never reused', async () => {
    const { start, store, seed } = starts();
    await start({ IAM_ADMIN_CLIENT_ID: 'first' });
    await seed({ apiKeys: [{ appId: 'a', clientId: 'first', apiKey: Buffer.alloc(32).toString('base64') }] });
    await start({ IAM_ADMIN_CLIENT_ID: 'second' });
    expect(await store.apiKeys.count()).toBe(0);
    expect(await store.clients.get('first')).toBeUndefined();
    expect(await store.clients.get('second')).toMatchObject({ bootstrap: 'admin' });
    await expect(start({ IAM_ADMIN_CLIENT_ID: 'first' })).rejects.toThrow(/^IAM_ADMIN_CLIENT_ID /);
    expect(await store.clients.get('second')).toMatchObject({ bootstrap: 'admin' });
  });

  test('with a name that is in use is rejected with the name of the setting, without changes', async () => {
    const { start, seed, dump } = starts();
    await start();
    await seed({
      clients: [{ clientId: 'web' }],
      users: [{ userId: 'u1', userName: 'olga', userEmail: 'olga@example.org' }],
    });
    const before = await dump();
    for (const [variable, value] of [
      ['IAM_ADMIN_CLIENT_ID', 'web'],
      ['IAM_APP_CLIENT_ID', 'u1'],
      ['IAM_ADMIN_USER', 'OLGA'],
      ['IAM_ADMIN_EMAIL', 'olga@example.org'],
    ] as const)
      await expect(start({ [variable]: value })).rejects.toMatchObject({
        name: 'SettingError',
        message: expect.stringMatching(`^${variable} `),
      });
    expect(await dump()).toEqual(before);
  });

  test('with --reset-admin generates and returns new secrets and revokes earlier tokens', async () => {
    const { start, admin, store } = starts();
    const first = await start();
    const groups = await store.groups.list();
    const second = await start({}, { 'reset-admin': true });
    expect(second.adminClientId).toBe(first.adminClientId);
    expect(second.adminClientSecret).not.toBe(first.adminClientSecret);
    expect(second.adminPassword).not.toBe(first.adminPassword);
    const { client, user } = await admin();
    expect(secretMatches(second.adminClientSecret ?? '', client.secretHash)).toBe(true);
    expect(secretMatches(first.adminClientSecret ?? '', client.secretHash)).toBe(false);
    expect(await verifyPasswordHash(first.adminPassword ?? '', user.passwordHash ?? '')).toBe(false);
    expect(client.tokenGeneration).toBe(1);
    expect(await store.groups.list()).toEqual(groups);
  });

  test('with --reset-admin and a configured secret sets the configured one', async () => {
    const { start, admin } = starts();
    await start();
    const result = await start({ IAM_ADMIN_CLIENT_SECRET: 'configured' }, { 'reset-admin': true });
    expect(result).not.toHaveProperty('adminClientSecret');
    expect(secretMatches('configured', (await admin()).client.secretHash)).toBe(true);
  });

  test('does not restore changed or removed groups', async () => {
    const { start, store } = starts();
    await start();
    const auditors = await store.groups.getBy('groupName', 'iam-auditors');
    await store.transaction((tx) => tx.groups.delete(auditors?.groupId ?? ''));
    await start();
    expect(await store.groups.getBy('groupName', 'iam-auditors')).toBeUndefined();
  });
});
