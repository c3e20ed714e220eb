/** POST /_iam/seed: one transaction, idempotent, and every problem with its path. */
import { describe, expect, test } from 'vitest';
import { adminClient, appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { createMemorySink } from '../../../audit/memory-sink.ts';
import { sharedServer } from '../../../operations/access.ts';
import { send } from '../../control-client.ts';
import { readStableTables, reset } from '../state/state-client.ts';

const password = 'correct horse battery staple';
const seed = {
  businesses: [{ businessId: 'acme', businessName: 'Acme', document: '4711', corporateGroupName: 'holding' }],
  corporateGroups: [{ corporateGroupName: 'holding' }],
  users: [{ userId: 'ann', userName: 'ann.lee', userEmail: 'ann@example.com', password }, { userName: 'bob.b' }],
  clients: [{ clientId: 'billing', clientSecret: 'secret-of-billing', serviceAccountId: 'billing-account' }],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['ann'], services: ['billing-account'] }],
  apiKeys: [{ appId: 'billing', clientId: 'billing', apiKey: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }],
  mainframe: [{ logon: 'ANN1', password: 'PASS1' }],
  products: [{ productAlias: 'PHONE', sku: 'P-1' }],
};

const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const admin = basic(adminClient.clientId, adminClient.clientSecret);

const apply = (server: TestServer, body: unknown, headers: Record<string, string> = {}, at = '') =>
  send(server, `${at}/_iam/seed`, { method: 'POST', headers, body });

const allOf = (outcome: 'created' | 'unchanged', document: Record<string, unknown[]> = seed) =>
  Object.fromEntries(
    Object.entries(document).map(([kind, entries]) => [
      kind,
      { created: 0, updated: 0, unchanged: 0, [outcome]: entries.length },
    ]),
  );

function logIn(server: TestServer, name: string, secret: string, at = '') {
  const path = `${at}/security/iam/v1/user-identities/login?clientId=${appClientId}`;
  return send(server, path, { method: 'POST', headers: basic(name, secret) });
}

describe('a seed', () => {
  test('creates its entries, which work; a second time it changes nothing', async () => {
    await using server = await startServer();
    expect(await apply(server, seed)).toMatchObject({ status: 200, body: allOf('created') });
    expect((await logIn(server, 'ann.lee', password)).status).toBe(201);
    const path = '/security/iam/v1/client-identities/login';
    const headers = basic('billing', 'secret-of-billing');
    expect((await send(server, path, { method: 'POST', headers })).status).toBe(200);
    const before = await server.dump();
    expect(await apply(server, seed)).toMatchObject({ status: 200, body: allOf('unchanged') });
    expect(await server.dump()).toEqual(before);
  });

  test('has the result of a start with it', async () => {
    await using server = await startServer();
    await using seeded = await startServer({ seed });
    await apply(server, seed);
    expect(await readStableTables(server)).toEqual(await readStableTables(seeded));
  });

  test('updates what differs, keeps passwords, and leaves the rest alone', async () => {
    await using server = await startServer({ seed });
    const change = {
      $schema: 'seed.schema.json',
      users: [
        { userId: 'ann', lead: true, password: 'another long pass phrase' },
        { userName: 'bob.b', factors: [{ contactType: 'EMAIL', email: 'bob@example.com' }] },
        { userId: 'eve' },
      ],
      groups: [{ groupName: 'ops', users: ['eve'] }],
      businesses: [],
    };
    expect(await apply(server, change)).toEqual(
      expect.objectContaining({
        status: 200,
        body: {
          users: { created: 1, updated: 2, unchanged: 0 },
          groups: { created: 0, updated: 1, unchanged: 0 },
          businesses: { created: 0, updated: 0, unchanged: 0 },
        },
      }),
    );
    expect((await logIn(server, 'ann.lee', password)).status).toBe(201);
    const members = (await send(server, '/_iam/groups/ops/members', { headers: admin })).body;
    expect(JSON.stringify(members)).toMatch(/ann.*eve|eve.*ann/);
  });

  test('is applied once by parallel requests', async () => {
    await using server = await startServer();
    const responses = await Promise.all(Array.from({ length: 5 }, () => apply(server, seed)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const created = responses.filter(({ body }) => JSON.stringify(body) === JSON.stringify(allOfSorted(body)));
    expect(created).toHaveLength(1);
    expect((await server.appContext.store.users.list()).filter(({ userName }) => userName === 'bob.b')).toHaveLength(1);
    expect((await logIn(server, 'ann.lee', password)).status).toBe(201);
  });

  test('may name the settings of the server, and no others', async () => {
    await using server = await startServer();
    const before = await server.dump();
    const settings = { 'fast-passwords': true, 'user-token-lifetime': 5, 'no-such-setting': 1, 'admin-password': 'x' };
    const response = await apply(server, { settings, users: [{ userId: 'ann' }] });
    expect(response).toMatchObject({ status: 400 });
    expect(fieldsOf(response)).toEqual([
      'settings.user-token-lifetime',
      'settings.no-such-setting',
      'settings.admin-password',
    ]);
    expect(await server.dump()).toEqual(before);
    expect(await apply(server, { settings: { 'fast-passwords': true } })).toMatchObject({ status: 200, body: {} });
  });
});

/** The counts of the one request that created everything, in the order of this response. */
function allOfSorted(body: unknown): unknown {
  return Object.fromEntries(Object.keys(body as object).map((kind) => [kind, allOf('created')[kind]]));
}

function fieldsOf({ body }: { body: unknown }): unknown[] {
  return (body as { details?: { field?: string } }[]).map(({ details }) => details?.field);
}

describe('an invalid seed is rejected with the path of each error, and nothing is applied:', () => {
  const others = [{ groupName: 'new' }];
  const bad: [string, unknown, unknown[]][] = [
    [
      'several errors',
      {
        users: [{ userId: 'u', pasword: 'x' }, { userId: 'v', password: 'qwertyuiop' }, { lead: 'yes' }],
        groups: [{ roles: 7 }],
        mistake: [],
      },
      ['groups[1].groupName', 'groups[1].roles', 'mistake', 'users[0].pasword', 'users[2].lead', 'users[1].password'],
    ],
    ['a list', [], [undefined]],
    ['a long URL of its schema', { $schema: 'x'.repeat(2001) }, ['$schema']],
    [
      'a missing member',
      { groups: [{ groupName: 'a', users: ['ann', 'unknown'] }], users: [{ userId: 'ann' }] },
      ['groups[1].users[1]'],
    ],
    [
      'missing owners',
      {
        clients: [{ clientId: 'c', userId: 'unknown' }, { clientId: 'd' }, { clientId: 'e', businessId: 'nothing' }],
      },
      ['clients[0].userId', 'clients[2].businessId'],
    ],
    ['a name that is in use', { users: [{ userId: 'u', userName: 'ADMIN' }] }, ['users[0].userName']],
    ['an id that is in use', { users: [{ userId: adminClient.clientId }] }, ['users[0]']],
    ['the last administrator', { users: [{ userName: 'admin', locked: true }] }, [undefined]],
  ];
  const shared = sharedServer();
  test.each(bad)('%s', async (_what, document, fields) => {
    const server = shared();
    const before = await server.dump();
    const { groups = [] } = document as { groups?: unknown[] };
    const mixed = Array.isArray(document) ? document : { ...(document as object), groups: [...others, ...groups] };
    const response = await apply(server, mixed);
    expect(response.status).toBe(400);
    expect(fieldsOf(response)).toEqual(fields);
    expect(JSON.stringify(response.body)).not.toContain('qwertyuiop');
    expect(await server.dump()).toEqual(before);
  });

  test('too many values, and too many bytes', async () => {
    const server = shared();
    const before = await server.dump();
    const products = Array.from({ length: 20_001 }, (_, at) => ({ productAlias: 'P', sku: `S-${at}` }));
    expect(await apply(server, { products })).toMatchObject({ status: 400, body: [{ code: 'BODY_TOO_COMPLEX' }] });
    const padded = { $schema: 'x'.repeat(1_000_000) };
    expect(await apply(server, padded)).toMatchObject({ status: 413, body: [{ code: 'BODY_TOO_LARGE' }] });
    expect(await server.dump()).toEqual(before);
  });
});

describe('a seed that was applied', () => {
  test('is not part of the seed of the server, to which a reset returns', async () => {
    await using server = await startServer({ seed: { groups: [{ groupName: 'of-the-start' }] } });
    await apply(server, seed);
    await send(server, '/_iam/state/snapshots', { method: 'POST', body: { name: 'seeded' } });
    await reset(server);
    const groups = async () => (await server.admin.groups.list()).items.map(({ groupName }) => groupName);
    expect(await groups()).toContain('of-the-start');
    expect(await groups()).not.toContain('ops');
    expect(await server.appContext.store.users.get('ann')).toBeUndefined();
    // A snapshot is the way back.
    await send(server, '/_iam/state/snapshots/seeded/restore', { method: 'POST' });
    expect(await groups()).toEqual(expect.arrayContaining(['of-the-start', 'ops']));
  });

  test('in a sandbox is in this sandbox only', async () => {
    await using server = await startServer();
    expect(await apply(server, seed, {}, '/s/one')).toMatchObject({ status: 200, body: allOf('created') });
    expect((await logIn(server, 'ann.lee', password, '/s/one')).status).toBe(201);
    expect((await logIn(server, 'ann.lee', password, '/s/two')).status).toBe(401);
    expect((await logIn(server, 'ann.lee', password)).status).toBe(401);
  });

  test('is in the request log and the audit log without its secrets', async () => {
    const audit = createMemorySink();
    await using server = await startServer({ audit });
    await apply(server, seed);
    const written = [audit.text(), ...server.log].join('\n');
    expect(written).toContain('control.seed-apply');
    for (const secret of [password, 'secret-of-billing', seed.apiKeys[0]?.apiKey, 'PASS1'])
      expect(written).not.toContain(secret);
  });
});

test('without the control plane, a seed is rejected before its body is read', async () => {
  await using server = await startServer({ flags: { 'disable-control-plane': true } });
  expect((await apply(server, seed, admin)).status).toBe(404);
});

test('a store that accepts no writes keeps the state, and the seed is refused with 503', async () => {
  await using server = await startServer();
  const before = await server.dump();
  server.stopWrites();
  expect((await apply(server, seed)).status).toBe(503);
  expect(await server.dump()).toEqual(before);
});
