/** Seeds: atomic, idempotent and independent of the order of entities. */
import { pbkdf2Sync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applySeed } from '../../../src/server/seed/apply.ts';
import type { SeedCounts } from '../../../src/server/seed/entries.ts';
import { parseSeed } from '../../../src/server/seed/parse.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startSession } from '../../../src/server/sessions/sessions.ts';
import type { Client } from '../../../src/server/store/tables.ts';
import { hashPassword, verifyPasswordHash } from '../../../src/server/users/passwords.ts';
import { appClientId, startServer, type TestServer } from '../../harness.ts';
import { formatBasicHeader, sendWithHeaders } from '../auth/auth-requests.ts';
import { sharedServer } from '../operations/access.ts';

const demo = await parseSeed(
  readFileSync(new URL('../../../data/seed.json', import.meta.url), 'utf8'),
  'data/seed.json',
);

function apply({ appContext }: TestServer, seed: SeedDocument): Promise<SeedCounts> {
  return applySeed(seed, appContext);
}

async function rolesOf(server: TestServer, groupName: string) {
  return server.admin.groups.get({ params: { groupId: groupName } });
}

describe('the demo seed', () => {
  test('is applied at the start, and its clients and keys work', async () => {
    await using server = await startServer({ seed: demo });
    const clientIdOf = (name: string) => demo.clients?.find(({ appId }) => appId === name)?.clientId ?? '';
    const lines = [
      formatBasicHeader(clientIdOf('demo-deployer'), 'demo-only-secret-of-demo-deployer'),
      'X-Api-Key: demo+only+demo+only+demo+only+demo+only+dem=',
    ];
    for (const line of lines) expect(await sendWithHeaders(server, [line])).toMatchObject({ status: 200 });
    expect(
      await sendWithHeaders(server, [formatBasicHeader(clientIdOf('demo-web'), 'demo-only-secret-of-demo-web')]),
    ).toMatchObject({ status: 403 });
    expect(await rolesOf(server, 'ops')).toMatchObject({
      dependencies: [{ groupName: 'developers' }, { groupName: 'iam-auditors' }],
    });
    const { users } = server.appContext.store;
    const businessId = demo.businesses?.[0]?.businessId;
    expect(await users.getBy('login', 'olivia')).toMatchObject({
      emailVerified: true,
      mobileVerified: true,
      businessId,
    });
  });

  test('changes nothing when it is applied again, also an hour later', async () => {
    await using server = await startServer({ seed: demo });
    const before = await server.dump();
    server.clock.advance(3600);
    await apply(server, demo);
    expect(await server.dump()).toEqual(before);
  });

  test('contains only secrets that are marked as demo', () => {
    const secrets = [
      ...(demo.clients ?? []).map((client) => client.clientSecret),
      ...(demo.users ?? []).map((user) => user.password),
    ];
    for (const secret of secrets.filter((value) => value !== undefined)) expect(secret).toMatch(/^demo-only-/);
    for (const { password } of demo.mainframe ?? []) expect(password).toMatch(/^DEMO#/);
    for (const { apiKey } of demo.apiKeys ?? []) expect(apiKey).toMatch(/^demo\+only/);
  });
});

test('passwords of the seed and of the administrator are hashed at the configured cost', async () => {
  const seed = {
    users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com', password: 'quite a long one to type' }],
    mainframe: [{ logon: 'ANN1', password: 'LOGON#12' }],
  };
  const environment = { IAM_ADMIN_PASSWORD: 'a long test passphrase' };
  const costOf = async (flags: Record<string, boolean>) => {
    await using server = await startServer({ seed, flags, environment });
    const { users, logons } = server.appContext.store;
    const hashes = [await users.get('ann'), await users.getBy('bootstrap', 'admin'), await logons.get('ANN1')].map(
      (row) => row?.passwordHash ?? '',
    );
    expect(await verifyPasswordHash('quite a long one to type', hashes[0] ?? '')).toBe(true);
    return hashes.map((hash) => /\$(m=\d+,t=\d+,p=\d+)\$/.exec(hash)?.[1]);
  };
  expect(await costOf({ 'fast-passwords': false })).toEqual(Array.from({ length: 3 }, () => 'm=19456,t=2,p=1'));
  expect(await costOf({ 'fast-passwords': true })).toEqual(Array.from({ length: 3 }, () => 'm=8,t=1,p=1'));
});

describe('an existing entity', () => {
  const client = { clientId: 'c1', clientSecret: 'old-secret', appId: 'one', scope: ['READ'] };

  test('is updated from the seed, and nothing else changes', async () => {
    await using server = await startServer({
      seed: { clients: [client], groups: [{ groupName: 'ops', roles: ['A'], organizationId: 'o1' }] },
    });
    await server.admin.groups.create({ body: { groupName: 'other', roles: ['X'] } });
    const other = await rolesOf(server, 'other');
    await apply(server, {
      clients: [{ clientId: 'c1', appId: 'two' }],
      groups: [{ groupName: 'ops', roles: ['ROLE_B', 'B'] }],
    });
    expect(await server.appContext.store.clients.get('c1')).toMatchObject({ appId: 'two', scope: ['READ'] });
    expect(await rolesOf(server, 'ops')).toMatchObject({ roles: ['B'], organizationId: 'o1' });
    expect(await rolesOf(server, 'other')).toEqual(other);
  });

  test('can have a weak password in the seed, a new user can not', async () => {
    const passwordHash = await hashPassword('qwertyuiop');
    await using server = await startServer({ seed: { users: [{ userId: 'u1', passwordHash }] } });
    await apply(server, { users: [{ userId: 'u1', password: 'qwertyuiop' }] });
    const before = await server.dump();
    for (const password of ['qwertyuiop', 'not-u2-u2-again', 'q9 fj', 'x'.repeat(129)])
      await expect(apply(server, { users: [{ userId: 'u2', userName: 'u2-u2', password }] })).rejects.toMatchObject({
        name: 'SeedError',
        message: expect.stringMatching(/^users: the password of u2 must /),
      });
    expect(await server.dump()).toEqual(before);
  });

  test('keeps its password; a hash is always applied', async () => {
    const user = { userId: 'u1', password: 'first-password' };
    await using server = await startServer({ seed: { clients: [client], users: [user] } });
    await apply(server, {
      clients: [{ ...client, clientSecret: 'new-secret' }],
      users: [{ ...user, password: 'second-password' }],
    });
    expect(await sendWithHeaders(server, [formatBasicHeader('c1', 'old-secret')])).toMatchObject({ status: 403 });
    const hashOf = async () => (await server.appContext.store.users.get('u1'))?.passwordHash ?? '';
    expect(await verifyPasswordHash('first-password', await hashOf())).toBe(true);
    const passwordHash = await hashPassword('third-password');
    for (let time = 0; time < 2; time += 1) {
      await apply(server, { users: [{ userId: 'u1', passwordHash }] });
      expect(await hashOf()).toBe(passwordHash);
    }
  });

  test('keeps the hash that a login made of an imported one, and its sessions, until the seed has another', async () => {
    const credential = (iterations: number) => {
      const value = pbkdf2Sync('first-password', 'salt', iterations % 2_000_000, 64, 'sha256').toString('base64');
      return {
        credentialData: JSON.stringify({ algorithm: 'pbkdf2-sha256', hashIterations: iterations }),
        secretData: JSON.stringify({ value, salt: Buffer.from('salt').toString('base64') }),
      };
    };
    const seedOf = (iterations: number) =>
      parseSeed(JSON.stringify({ users: [{ userId: 'u1', passwordHash: credential(iterations) }] }), 'seed.json');
    await using server = await startServer({ seed: await seedOf(1000) });
    const read = async () => (await server.appContext.store.users.get('u1'))?.passwordHash;
    expect(await read()).toMatch(/^\$pbkdf2-sha256\$i=1000,l=64\$c2FsdA\$/);
    const headers = { authorization: `Basic ${btoa('u1:first-password')}` };
    await server.as().userIdentities.login({ query: { clientId: appClientId }, headers });
    const renewed = await read();
    expect(renewed).toMatch(/^\$argon2id\$/);
    await apply(server, await seedOf(1000));
    expect(await read()).toBe(renewed);
    expect(await server.appContext.store.sessions.count()).toBe(1);
    await apply(server, await seedOf(1001));
    expect(await read()).toMatch(/^\$pbkdf2-sha256\$i=1001,/);
    expect(await server.appContext.store.sessions.count()).toBe(0);
    await expect(seedOf(2_000_001)).rejects.toThrow(
      'seed.json:1:26: users[0].passwordHash: (of u1) must have 1 to 2000000 iterations (PBKDF2); it has 2000001',
    );
  });

  test('loses its sessions with a new password hash, and when it is locked', async () => {
    const passwordHash = await hashPassword('first-password');
    await using server = await startServer({ seed: { users: [{ userId: 'u1', passwordHash }, { userId: 'u2' }] } });
    const { store, clock, random, settings } = server.appContext;
    const startSessions = () =>
      store.transaction(async (tx) => {
        const client = (await tx.clients.getBy('bootstrap', 'app')) as Client;
        for (const userId of ['u1', 'u2']) {
          const session = { client, userId, level: 'AUTH-BASIC', remember: false, renewable: true } as const;
          await startSession(tx, session, { clock, random, settings });
        }
      });
    const listOwners = async () => (await store.sessions.list()).map(({ userId }) => userId).sort();
    await startSessions();
    await apply(server, {
      users: [
        { userId: 'u1', passwordHash },
        { userId: 'u2', lead: true },
      ],
    });
    expect(await listOwners()).toEqual(['u1', 'u2']);
    await apply(server, { users: [{ userId: 'u1', passwordHash: await hashPassword('second-password') }] });
    expect(await listOwners()).toEqual(['u2']);
    await apply(server, { users: [{ userId: 'u2', locked: true }] });
    expect(await listOwners()).toEqual([]);
  });

  test('is matched by name if the seed contains no id', async () => {
    await using server = await startServer({ seed: { users: [{ userName: 'Olga', userEmail: 'o@example.org' }] } });
    await apply(server, { users: [{ userName: 'olga', lead: true }], groups: [{ groupName: 'ops' }] });
    const found = (await server.appContext.store.users.list()).filter(
      ({ userName }) => userName.toLowerCase() === 'olga',
    );
    expect(found).toMatchObject([{ lead: true, userEmail: 'o@example.org' }]);
  });
});

describe('dependencies', () => {
  test('can refer to later groups', async () => {
    await using server = await startServer({
      seed: {
        groups: [
          { groupName: 'a', dependencies: [{ groupName: 'b' }] },
          { groupName: 'b', dependencies: [{ groupName: 'c' }] },
          { groupName: 'c' },
        ],
      },
    });
    expect(await rolesOf(server, 'a')).toMatchObject({ dependencies: [{ groupName: 'b' }] });
  });

  test('can be reversed by a later seed, in any order of the groups', async () => {
    for (const reverse of [false, true]) {
      await using server = await startServer({
        seed: { groups: [{ groupName: 'a', dependencies: [{ groupName: 'b' }] }, { groupName: 'b' }] },
      });
      const turned = [
        { groupName: 'a', dependencies: [] },
        { groupName: 'b', dependencies: [{ groupName: 'a' }] },
      ];
      await apply(server, { groups: reverse ? turned.reverse() : turned });
      expect(await rolesOf(server, 'b')).toMatchObject({ dependencies: [{ groupName: 'a' }] });
    }
  });
});

describe('a seed that can not be applied changes nothing', () => {
  const good = { groups: [{ groupName: 'new' }], clients: [{ clientId: 'new' }] };
  const key = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
  const bad: [string, SeedDocument, RegExp][] = [
    [
      'a cycle',
      {
        groups: [
          { groupName: 'a', dependencies: [{ groupName: 'b' }] },
          { groupName: 'b', dependencies: [{ groupName: 'a' }] },
        ],
      },
      /cycle.*(a -> b|b -> a)/,
    ],
    ['a group that depends on itself', { groups: [{ groupName: 'a', dependencies: [{ groupName: 'a' }] }] }, /cycle/],
    [
      'an unknown dependency',
      { groups: [{ groupName: 'a', dependencies: [{ groupName: 'unknown-group' }] }] },
      /unknown-group/,
    ],
    [
      'a role that looks like one of the service',
      { clients: [{ clientId: 'a', authorities: ['iam_admin_x'] }] },
      /in case/,
    ],
    ['a reserved role', { groups: [{ groupName: 'a', roles: ['AUTH-MFA'] }] }, /AUTH-MFA/],
    ['a reserved role with its prefix', { groups: [{ groupName: 'a', roles: ['ROLE_CLI-1STPARTY'] }] }, /CLI-1STPARTY/],
    ['a missing member', { groups: [{ groupName: 'a', users: ['unknown-id'] }] }, /a refers to unknown-id/],
    ['a missing service', { groups: [{ groupName: 'a', services: ['unknown-id'] }] }, /a refers to unknown-id/],
    [
      'a user of another business',
      {
        businesses: [{ businessId: 'b', businessName: 'B' }],
        users: [{ userId: 'u' }],
        groups: [{ groupName: 'a', businessUsers: [{ businessId: 'b', userId: 'u' }] }],
      },
      /a refers to u/,
    ],
    ['the key of a missing client', { apiKeys: [{ appId: 'x', clientId: 'unknown-id', apiKey: key }] }, /unknown-id/],
    ['a client of a missing user', { clients: [{ clientId: 'c', userId: 'unknown-id' }] }, /clients: c .*unknown-id/],
    [
      'a client of a missing business',
      { clients: [{ clientId: 'c', businessId: 'unknown-id' }] },
      /clients: c .*unknown-id/,
    ],
    ['a user of a missing business', { users: [{ userId: 'u', businessId: 'unknown-id' }] }, /users: u .*unknown-id/],
    ['an id that is in use', { users: [{ userId: 'test-admin' }] }, /test-admin/],
    ['a login that is in use', { users: [{ userId: 'u', userName: 'ADMIN' }] }, /users/],
    [
      'two keys of one value',
      {
        apiKeys: [
          { apiKeyId: 'k1', appId: 'x', clientId: 'test-admin', apiKey: key },
          {
            apiKeyId: 'k2',
            appId: 'x',
            clientId: 'test-admin',
            apiKey: 'BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=',
          },
          { apiKeyId: 'k2', appId: 'x', clientId: 'test-admin', apiKey: key },
        ],
      },
      /apiKeys/,
    ],
    ['locking the last administrator', { users: [{ userName: 'admin', locked: true }] }, /administrator/],
    [
      'removing the role of the last administrator',
      { groups: [{ groupName: 'iam-administrators', roles: [] }] },
      /administrator/,
    ],
  ];
  const shared = sharedServer();
  test.each(bad)('%s', async (_what, seed, message) => {
    const server = shared();
    const before = await server.dump();
    const mixed = {
      ...good,
      ...seed,
      groups: [...good.groups, ...(seed.groups ?? [])],
      clients: [...good.clients, ...(seed.clients ?? [])],
    };
    const applying = apply(server, mixed);
    await expect(applying).rejects.toMatchObject({ name: 'SeedError', message: expect.stringMatching(message) });
    expect(await server.dump()).toEqual(before);
  });

  test('and the server does not start with it', async () => {
    const starting = startServer({ seed: { groups: [{ groupName: 'a', users: ['unknown-id'] }] } });
    await expect(starting).rejects.toMatchObject({ name: 'SeedError' });
  });
});

test('inherited property names are valid names', async () => {
  const seed = {
    groups: [
      { groupName: 'toString', roles: ['A'] },
      { groupName: 'constructor' },
      { groupName: '__proto__', dependencies: [{ groupName: 'toString' }] },
    ],
  };
  await using server = await startServer({ seed });
  expect(await rolesOf(server, '__proto__')).toMatchObject({ dependencies: [{ groupName: 'toString' }] });
  await apply(server, seed);
  expect(await rolesOf(server, 'toString')).toMatchObject({ roles: ['A'] });
});

describe('the id of a new client or service that a user has', () => {
  const squatter = { userId: 'billing', userName: 'squatter', userEmail: 'squatter@example.com' };
  const cases = [
    ['clientId', { clients: [{ clientId: 'billing', clientSecret: 'secret-of-the-billing-client' }] }],
    ['serviceAccountId', { clients: [{ clientId: 'billing-client', serviceAccountId: 'billing' }] }],
  ] as const;

  test.each(cases)(
    'as %s names the user and the command that frees it, and is free after that command',
    async (field, seed) => {
      await using server = await startServer();
      await server.as().userIdentities.create({ query: { clientId: appClientId }, body: squatter });
      const before = await server.dump();
      await expect(apply(server, seed as unknown as SeedDocument)).rejects.toMatchObject({
        message: expect.stringMatching(
          /^clients: billing is the id of the user "squatter".*`iam users delete id:billing`/,
        ),
        issues: [{ path: ['clients', 0, field] }],
      });
      expect(await server.dump()).toEqual(before);
      await server.admin.userIdentities.remove({ params: { id: 'billing' } });
      expect(await apply(server, seed as unknown as SeedDocument)).toMatchObject({ clients: { created: 1 } });
      expect(await server.appContext.store.subjects.get('billing')).toMatchObject({
        subject: 'billing',
        ownerId: expect.any(String),
      });
      // Only a seed reuses the id.
      const again = server.admin.userIdentities.create({ body: squatter });
      await expect(again).rejects.toMatchObject({ status: 412, code: 'ID_TAKEN' });
    },
  );

  test('a user who signed up is not taken over by its name, but by its id', async () => {
    await using server = await startServer();
    const signUp = { userName: 'bob.newops', userEmail: 'bob@evil.example' };
    await server.as().userIdentities.create({ query: { clientId: appClientId }, body: signUp });
    const userId = (await server.appContext.store.users.getBy('login', 'bob.newops'))?.userId ?? '';
    const user = { userName: 'bob.newops', userEmail: 'bob@corp.example', password: 'tooth brush in a mug' };
    const before = await server.dump();
    await expect(apply(server, { users: [user] })).rejects.toMatchObject({
      message: expect.stringContaining(`belongs to the user ${userId}, who signed up`),
      issues: [{ path: ['users', 0, 'userName'] }],
    });
    expect(await server.dump()).toEqual(before);
    expect(await apply(server, { users: [{ ...user, userId }] })).toMatchObject({ users: { updated: 1 } });
    await server.admin.userIdentities.create({ body: { userName: 'carol', userEmail: 'c@corp.example' } });
    const carol = { userName: 'carol', userEmail: 'carol@corp.example' };
    expect(await apply(server, { users: [carol] })).toMatchObject({ users: { updated: 1 } });
  });

  test('a user with an id whose name another user has names that user, and can be applied after its removal', async () => {
    await using server = await startServer();
    const signUp = { userName: 'cto', userEmail: 'cto@evil.example' };
    await server.as().userIdentities.create({ query: { clientId: appClientId }, body: signUp });
    const { userId: id = '' } = (await server.appContext.store.users.getBy('login', 'cto')) ?? {};
    const before = await server.dump();
    for (const [user, field] of [
      [{ userId: 'u-cto', userName: 'CTO' }, 'userName'],
      [{ userId: 'cto' }, 'userId'],
      [{ userId: 'u-cto', userName: 'chief', identities: ['cto'] }, 'identities'],
    ] satisfies [object, string][])
      await expect(apply(server, { users: [user] })).rejects.toMatchObject({
        message: expect.stringMatching(new RegExp(`"cto" belongs to the user ${id}[^]*iam users delete id:${id}`)),
        issues: [{ path: ['users', 0, field] }],
      });
    expect(await server.dump()).toEqual(before);
    await server.admin.userIdentities.remove({ params: { id } });
    const outcome = await apply(server, { users: [{ userId: 'u-cto', userName: 'CTO' }] });
    expect(outcome).toMatchObject({ users: { created: 1 } });
  });
});
