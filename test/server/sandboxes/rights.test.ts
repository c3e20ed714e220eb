/** What the administrators of a sandbox, present and former ones, can do to the server that it runs on. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { adminClient, appClientId, startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { createMemorySink } from '../audit/memory-sink.ts';
import { send } from '../control/control-client.ts';
import { basic, password, passwordHash } from '../operations/user-identities/login-fixtures.ts';

const remote = { host: '0.0.0.0', 'allow-remote': true };
const seed = {
  users: [
    {
      ...{ userId: 'second', userName: 'second', passwordHash, userEmail: 'second@example.com' },
      certificates: ['ab'.repeat(32)],
      factors: [{ id: 'the-factor', contactType: 'EMAIL' as const, email: 'old@example.com' }],
    },
    { userId: 'owner', userName: 'owner' },
  ],
  groups: [{ groupName: 'iam-administrators', users: ['second'] }],
  clients: [
    {
      ...{ clientId: 'deployer', clientSecret: 'the secret of the deployer', serviceAccountId: 'deployer-service' },
      authorities: ['AUTH-BASIC', 'AUTH-MFA', 'IAM_ADMIN_MAINTENANCE'],
    },
    {
      ...{ clientId: 'bot', clientSecret: 'the secret of the bot', userId: 'owner' },
      authorities: ['AUTH-MFA', 'IAM_ADMIN_MAINTENANCE'],
    },
  ],
};
const headers = { Authorization: basic(adminClient.clientId, adminClient.clientSecret) };

function setPassword(server: TestServer, newPassword: string, userId = 'second') {
  return send(server, `/_iam/users/${userId}/password`, { method: 'PUT', headers, body: { newPassword } });
}

async function startWithSandboxes(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startServer({ flags: remote, seed, recordsStatuses: false, ...options });
  for (const [name, ownSeed] of Object.entries({ a: undefined, b: undefined, own: {} }))
    await send(server, '/_iam/sandboxes', { method: 'POST', headers, body: { name, seed: ownSeed } });
  return server;
}

describe('a sandbox with the seed of the server', () => {
  const reads = [
    ['GET', '/_iam/state/export'],
    ['GET', '/_iam/state/export?format=seed'],
    ['GET', '/_iam/state/diff?from=seed&to=now'],
    ['GET', '/_iam/state/diff/objects?from=seed&to=now'],
    ['POST', '/_iam/store/backup'],
  ] as const;

  async function statusesOf(server: TestServer): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const [method, path] of reads) {
      const { status, body } = await send(server, `/s/a${path}`, {
        method,
        headers: { ...headers, 'X-Requested-With': 'x' },
      });
      found.push(status === 200 ? status : (body as [{ code: string }])[0].code);
    }
    return found;
  }

  test.each<[string, (server: TestServer) => Promise<unknown>]>([
    ['was locked', ({ admin }) => admin.userIdentities.lock({ body: { userId: 'second' } })],
    ['was removed', ({ admin }) => admin.userIdentities.remove({ params: { id: 'second' } })],
    [
      'left the administrators',
      ({ admin }) => admin.userAccesses.removeUser({ params: { groupName: 'iam-administrators', userId: 'second' } }),
    ],
    ['owned a client and was locked', ({ admin }) => admin.userIdentities.lock({ body: { userId: 'owner' } })],
    ['has another password', (server) => setPassword(server, 'another pass phrase')],
    [
      'has another e-mail',
      ({ admin }) => admin.userIdentities.update({ params: { id: 'second' }, body: { userEmail: 'new@example.com' } }),
    ],
    [
      'has a certificate less',
      ({ admin }) =>
        admin.userIdentities.removeIdentity({ params: { id: 'second', identity: `x5t#S256:${'ab'.repeat(32)}` } }),
    ],
    ['has a factor less', ({ appContext: { store } }) => store.transaction((tx) => tx.factors.delete('the-factor'))],
    [
      'was a client that is removed',
      ({ admin }) => admin.clientIdentities.remove({ params: { serviceAccountId: 'deployer-service' } }),
    ],
  ])('exports no hashes once an administrator of the seed %s at the server', async (_, change) => {
    await using server = await startWithSandboxes();
    expect(await statusesOf(server)).toEqual(reads.map(() => 200));
    await change(server);
    expect(await statusesOf(server)).toEqual(Array(reads.length).fill('SEED_ADMINISTRATOR_CHANGED'));
    const { status } = await send(server, '/_iam/state/export', { headers });
    expect(status).toBe(200);
  });

  test('exports hashes after a restart with the same seed, and none once a password of the seed was changed', async () => {
    const store = openMemoryStore();
    const group = { groupName: 'iam-administrators', users: ['third'] };
    const options = {
      seed: { users: [{ userId: 'third', userName: 'third', password }], groups: [group] },
      openStore: async () => store,
    };
    // The store outlives the first server, which is stopped last.
    await using _first = await startWithSandboxes(options);
    await using server = await startWithSandboxes(options);
    expect(await statusesOf(server)).toEqual(reads.map(() => 200));
    await setPassword(server, 'another pass phrase', 'third');
    expect(await statusesOf(server)).toEqual(Array(reads.length).fill('SEED_ADMINISTRATOR_CHANGED'));
  });

  test('does not use the external systems of the server, also not for its own administrators', async () => {
    const systems = { 'mainframe-url': 'http://127.0.0.1:9', 'sms-hook-url': 'http://127.0.0.1:9' };
    await using server = await startWithSandboxes({ flags: { ...remote, ...systems } });
    const settingsOf = async (prefix: string) => (await send(server, `${prefix}/_iam/settings`, { headers })).body;
    expect(await settingsOf('')).toMatchObject(systems);
    for (const name of Object.keys(systems)) expect(await settingsOf('/s/a')).not.toHaveProperty(name);
  });

  test('records its changes where strangers are recorded', async () => {
    const [audit, selfServiceAudit] = [createMemorySink(), createMemorySink()];
    await using server = await startWithSandboxes({ audit, selfServiceAudit });
    const body = { groupName: 'newer' };
    await send(server, `/s/a${servicePrefix}/groups`, { method: 'POST', headers, body });
    expect(audit.text()).not.toContain('"sandbox":"a"');
    expect(selfServiceAudit.text()).toContain('"sandbox":"a"');
  });

  test('is checked by every route that returns a whole store', () => {
    const whole = controlRoutes.filter(({ response }) => 'alternatives' in response && response.secret);
    expect(whole.map(({ id, hashes }) => [id, hashes])).toEqual([
      ['control.state-export', true],
      ['control.store-backup', true],
    ]);
  });

  const login = `${servicePrefix}/user-identities/login?clientId=${appClientId}`;
  const logIn = async (server: TestServer, prefix: string, secret: string, name = 'second') =>
    (await send(server, prefix + login, { method: 'POST', headers: { Authorization: basic(name, secret) } })).status;

  test('adds no guesses at the passwords of the server', async () => {
    await using server = await startWithSandboxes();
    for (const name of ['a', 'b']) {
      for (let guess = 0; guess < 5; guess += 1) expect(await logIn(server, `/s/${name}`, `${guess} wrong`)).toBe(401);
      await send(server, `/s/${name}/_iam/state/reset`, { method: 'POST', headers, body: {} });
    }
    for (const prefix of ['', '/s/a', '/s/b']) expect(await logIn(server, prefix, 'wrong')).toBe(429);
  });

  test('does not clear the guesses by a login with a password of its own', async () => {
    await using server = await startWithSandboxes();
    for (let guess = 0; guess < 9; guess += 1) expect(await logIn(server, '/s/a', `${guess} wrong`)).toBe(401);
    const body = { newPassword: 'a password of the sandbox' };
    await send(server, '/s/a/_iam/users/second/password', { method: 'PUT', headers, body });
    expect(await logIn(server, '/s/a', body.newPassword)).toBe(201);
    expect(await logIn(server, '', 'wrong')).toBe(401);
    expect(await logIn(server, '', 'wrong')).toBe(429);
  });

  test('counts guesses by user, whatever names its administrators give to the user', async () => {
    await using server = await startWithSandboxes();
    const names = Array.from({ length: 12 }, (_, number) => `alias-${number}`);
    for (const name of ['a', 'b'])
      for (const identity of names)
        await send(server, `/s/${name}${servicePrefix}/user-identities/second/identities`, {
          ...{ method: 'PATCH', headers },
          body: { identity },
        });
    expect(await logIn(server, '/s/a', password, names[0])).toBe(201);
    // One guess for each name: no typed name reaches its limit.
    for (const name of names.slice(1, 6)) expect(await logIn(server, '/s/a', 'wrong', name)).toBe(401);
    for (const name of names.slice(1, 6)) expect(await logIn(server, '/s/b', 'wrong', name)).toBe(401);
    // A correct guess has the response of a wrong one, as has an unknown name.
    for (const prefix of ['/s/a', '/s/b']) expect(await logIn(server, prefix, password, names[11])).toBe(401);
    expect(await logIn(server, '/s/a', password, 'unknown')).toBe(401);
    // At the server the owner is not affected.
    expect(await logIn(server, '', password)).toBe(201);
  });

  test('of a loopback server counts alone', async () => {
    await using server = await startWithSandboxes({ flags: {} });
    for (let guess = 0; guess < 10; guess += 1) await logIn(server, '/s/a', `${guess} wrong`);
    expect(await logIn(server, '/s/a', 'wrong')).toBe(429);
    expect(await logIn(server, '/s/b', 'wrong')).toBe(401);
    expect(await logIn(server, '', 'wrong')).toBe(401);
  });
});

describe('a sandbox with its own seed', () => {
  test('records the changes of its administrators where strangers are recorded', async () => {
    const [audit, selfServiceAudit, rejectedAudit] = [createMemorySink(), createMemorySink(), createMemorySink()];
    await using server = await startWithSandboxes({ flags: {}, audit, selfServiceAudit, rejectedAudit });
    for (const prefix of ['/s/own', '/s/a', '']) {
      await send(server, `${prefix}/_iam/seed`, { method: 'POST', body: { groups: [{ groupName: 'new' }] } });
      await send(server, `${prefix}${servicePrefix}/groups`, { method: 'POST', headers, body: { groupName: 'newer' } });
    }
    const [granted, selfService] = [audit.text(), selfServiceAudit.text()];
    expect(granted).not.toContain('"sandbox":"own"');
    expect(granted.match(/"sandbox":"a"/g)?.length).toBe(2);
    expect(selfService).toContain('"sandbox":"own"');
    expect(server.log.some((line) => line.includes('"sandbox":"own"'))).toBe(true);
  });

  test('shows no file and no address of the server in its settings', async () => {
    await using server = await startWithSandboxes({ flags: { issuer: 'https://issuer.example' } });
    const settingsOf = async (prefix: string) =>
      (await send(server, `${prefix}/_iam/settings`)).body as Record<string, unknown>;
    for (const prefix of ['', '/s/a']) expect(await settingsOf(prefix)).toMatchObject({ data: expect.any(String) });
    const own = await settingsOf('/s/own');
    for (const name of ['data', 'audit-log', 'issuer', 'host', 'port', 'trusted-proxies', 'sandbox-networks'])
      expect(own).not.toHaveProperty(name);
    expect(own).toHaveProperty('signing-alg');
  });
});
