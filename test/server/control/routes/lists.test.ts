import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import type { SeedDocument, SeedFactor } from '../../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { sharedServer } from '../../operations/access.ts';
import {
  createIds,
  insertMembers,
  makeUsers,
  startWithMembers,
} from '../../operations/user-accesses/member-fixtures.ts';
import { readAllPages, readNextPath, send } from '../control-client.ts';

const seed: SeedDocument = {
  businesses: [
    { businessId: 'acme', businessName: 'Acme', document: '1', corporateGroupName: 'holding' },
    { businessId: 'globex', businessName: 'Globex' },
  ],
  corporateGroups: [{ corporateGroupId: 'holding-1', corporateGroupName: 'holding' }],
  users: [
    { userId: 'ann', userName: 'Ann', userEmail: 'Ann.Example@example.com', businessId: 'acme', lead: true },
    { userId: 'bob', userName: 'bob', userEmail: 'b@example.com', identities: ['robert'], locked: true },
    { userId: 'constructor', userName: '__proto__' },
  ],
  clients: [
    { clientId: 'c1', clientSecret: 'very secret', appId: 'billing', serviceAccountId: 's1', businessId: 'acme' },
    { clientId: 'c2', clientSecret: 'very secret', appId: 'billing', party: '3RDPARTY', authorities: ['ADMIN'] },
  ],
};

async function list(server: TestServer, path: string): Promise<unknown[]> {
  const response = await send(server, `/_iam/${path}`);
  expect(response.status).toBe(200);
  return response.body as unknown[];
}

const shared = sharedServer(() => startServer({ seed }));

describe('users', () => {
  test('contain no secrets, and the addresses that every caller of this machine may read', async () => {
    const server = shared();
    const users = await list(server, 'users');
    expect(users).toContainEqual({
      userId: 'ann',
      userName: 'Ann',
      userEmail: 'Ann.Example@example.com',
      businessId: 'acme',
      businessName: 'Acme',
      lead: true,
      locked: false,
      nameVerified: true,
    });
    expect(users).toContainEqual({
      userId: 'bob',
      userName: 'bob',
      userEmail: 'b@example.com',
      lead: false,
      locked: true,
      nameVerified: true,
    });
    expect(JSON.stringify(users)).not.toMatch(/argon2|robert/);
  });

  test.each([
    ['ann', ['ann']],
    ['ANN', ['ann']],
    ['ann.example@EXAMPLE.com', ['ann']],
    ['Robert', ['bob']],
    ['an', []],
    ['constructor', ['constructor']],
    ['__proto__', ['constructor']],
    ['toString', []],
  ])('are found by any of their login names: %s', async (name, expected) => {
    const server = shared();
    const users = await list(server, `users?name=${encodeURIComponent(name)}`);
    expect(users).toMatchObject(expected.map((userId) => ({ userId })));
    expect(users).toHaveLength(expected.length);
  });
});

describe('clients', () => {
  test('contain no secrets', async () => {
    const server = shared();
    const clients = await list(server, 'clients');
    expect(clients).toContainEqual({
      clientId: 'c1',
      appId: 'billing',
      party: '1STPARTY',
      authorities: [],
      scope: [],
      grantTypes: ['client_credentials'],
      redirectURIs: [],
      audiences: [],
      postLogoutRedirectURIs: [],
      serviceAccountId: 's1',
      businessId: 'acme',
      businessName: 'Acme',
      factorVisibility: 'CREDENTIALS_ONLY',
      createdAt: '2026-03-01T12:00:00.000Z',
    });
    expect(JSON.stringify(clients)).not.toContain(hashSecret('very secret'));
    expect(JSON.stringify(clients)).not.toMatch(/secretHash|sha256/);
  });

  test.each([
    ['c1', ['c1']],
    ['s1', ['c1']],
    ['billing', ['c1', 'c2']],
    ['Billing', []],
  ])('are found by client id, service account id or application: %s', async (name, expected) => {
    const server = shared();
    expect(await list(server, `clients?name=${name}`)).toMatchObject(expected.map((clientId) => ({ clientId })));
  });
});

describe('businesses and customers', () => {
  test('reference each other and the corporate group', async () => {
    await using server = await startServer({ seed });
    await server.admin.customers.createUser({ body: { userId: 'ann', document: '1', name: 'Ann Example' } });
    const createdAt = '2026-03-01T12:00:00.000Z';
    expect(await list(server, 'businesses')).toEqual([
      {
        businessId: 'acme',
        businessName: 'Acme',
        document: '1',
        createdAt,
        customerId: 1,
        corporateGroupId: 'holding-1',
        corporateGroupName: 'holding',
      },
      { businessId: 'globex', businessName: 'Globex', createdAt },
    ]);
    expect(await list(server, 'customers')).toEqual([
      { customerId: 1, document: '1', businessId: 'acme', name: 'Acme', createdAt },
      { customerId: 2, document: '1', userId: 'ann', userName: 'Ann', name: 'Ann Example', createdAt },
    ]);
    expect(await list(server, 'businesses?name=Globex')).toMatchObject([{ businessId: 'globex' }]);
    expect(await list(server, 'businesses?name=globex')).toEqual([]);
    expect(await list(server, 'customers?name=Acme')).toMatchObject([{ customerId: 1 }]);
    expect(await list(server, 'customers?name=Ann%20Example')).toMatchObject([{ customerId: 2 }]);
  });
});

describe('members of a group', () => {
  test('contain kind, id and name, by the name and by the id of the group', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [
      { kind: 'user', memberId: 'p2' },
      { kind: 'user', memberId: 'p1' },
      { kind: 'service', memberId: 'service-of-a' },
      { kind: 'businessUser', memberId: 'a1', businessId: 'a' },
      { kind: 'business', memberId: 'b' },
    ]);
    await insertMembers(server, 'leads', [{ kind: 'user', memberId: 'p3' }]);
    const expected = [
      { kind: 'business', businessId: 'b', businessName: 'Business b' },
      { kind: 'businessUser', userId: 'a1', userName: 'a1', businessId: 'a', businessName: 'Business a' },
      { kind: 'service', serviceId: 'service-of-a' },
      { kind: 'user', userId: 'p1', userName: 'p1' },
      { kind: 'user', userId: 'p2', userName: 'p2' },
    ];
    const group = await server.appContext.store.groups.getBy('groupName', 'plain');
    expect(await list(server, 'groups/plain/members')).toEqual(expected);
    expect(await list(server, `groups/${group?.groupId}/members`)).toEqual(expected);
    expect((await readAllPages(server, '/_iam/groups/plain/members?limit=1')).items).toEqual(expected);
    expect(await list(server, 'groups/plain/members?search=BUSINESS%20a')).toEqual([expected[1]]);
    expect((await readAllPages(server, '/_iam/groups/plain/members?limit=1&search=p')).items).toEqual(
      expected.slice(3),
    );
  });

  test('of all groups are listed with their groups, in pages', async () => {
    await using server = await startServer({
      seed: {
        users: [{ userId: 'u1' }, { userId: 'u2' }],
        groups: [
          { groupId: 'g1', groupName: 'one', users: ['u1', 'u2'] },
          { groupId: 'g2', groupName: 'two', users: ['u1'] },
        ],
      },
    });
    const { items } = await readAllPages(server, '/_iam/memberships?limit=1');
    expect(items.filter((item) => /^g\d$/.test((item as { groupId: string }).groupId))).toEqual([
      { groupId: 'g1', kind: 'user', userId: 'u1' },
      { groupId: 'g1', kind: 'user', userId: 'u2' },
      { groupId: 'g2', kind: 'user', userId: 'u1' },
    ]);
  });

  const withMembers = sharedServer(() => startWithMembers());

  test.each(['unknown', 'Plain', 'constructor', '__proto__'])('of %s are not found', async (id) => {
    const server = withMembers();
    const response = await send(server, `/_iam/groups/${id}/members`);
    expect(response).toMatchObject({ status: 404, body: [{ code: 'GROUP_NOT_FOUND' }] });
  });
});

describe('factors of a user', () => {
  const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
  const factors: SeedFactor[] = [
    { id: 'work', contactType: 'EMAIL', email: 'work@example.com', tags: ['a'] },
    { id: 'home', contactType: 'MOBILE', mobile, verified: false },
  ];
  const users = [{ userId: 'ann', userEmail: 'ann@example.com', factors }, { userId: 'bob' }];

  test('are masked, with main and alternative contacts by id', async () => {
    await using server = await startServer({ seed: { users } });
    const common = { tags: [], credential: false, default: false, verified: true };
    const expected = [
      {
        ...common,
        id: 'home',
        contactType: 'MOBILE',
        mobile: { regionCode: '55', areaCode: '***', phoneNumber: '***4321' },
        verified: false,
      },
      { ...common, id: 'main-email', contactType: 'EMAIL', email: 'a***@example.com', credential: true, default: true },
      { ...common, id: 'work', contactType: 'EMAIL', email: 'w***@example.com', tags: ['a'] },
    ];
    expect(await list(server, 'users/ann/factors')).toEqual(expected);
    expect((await readAllPages(server, '/_iam/users/ann/factors?limit=1')).items).toEqual(expected);
    expect(await list(server, 'users/bob/factors')).toEqual([]);
  });

  test('of an unknown user are not found', async () => {
    await using server = await startServer();
    for (const id of ['unknown', 'constructor', '__proto__'])
      expect(await send(server, `/_iam/users/${id}/factors`)).toMatchObject({
        status: 404,
        body: [{ code: 'USER_NOT_FOUND' }],
      });
  });
});

describe('pages', () => {
  test('contain each item once and in order while others are added and deleted', async () => {
    await using server = await startServer();
    const ids = createIds('u', 6);
    await makeUsers(server, ids);
    const first = await send(server, '/_iam/users?limit=4');
    expect(first).toMatchObject({ status: 206 });
    const seen = (first.body as { userId: string }[]).map(({ userId }) => userId);
    const standing = seen.at(-1) ?? '';
    await server.appContext.store.transaction((tx) => tx.users.delete(standing));
    await makeUsers(server, ['u00005x', '!before']);
    const rest = await send(server, readNextPath(first));
    const after = (rest.body as { userId: string }[]).map(({ userId }) => userId);
    expect(rest.status).toBe(200);
    expect([...seen, ...after].filter((userId) => userId.startsWith('u'))).toEqual([...ids, 'u00005x']);
  });

  test.each(['users', 'clients', 'businesses', 'customers'])(
    'of %s contain a hundred items or the requested number',
    async (what) => {
      await using server = await startServer();
      const { store, ids } = server.appContext;
      const row = await store.clients.get('test-app');
      const { bootstrap: _, ...client } = row ?? {};
      await makeUsers(server, createIds('u', 150));
      await store.transaction(async (tx) => {
        for (const [at, id] of createIds('x', 150).entries()) {
          await tx.businesses.insert({ businessId: id, businessName: 'same' });
          await tx.customers.insert({ customerId: at + 1, document: id, businessId: id, createdAt: '' });
          if (row) await tx.clients.insert({ ...row, ...client, bootstrap: undefined, clientId: ids.newId() });
        }
      });
      const hundreds = await readAllPages(server, `/_iam/${what}`);
      expect(hundreds.statuses).toEqual([206, 200]);
      const sevens = await readAllPages(server, `/_iam/${what}?limit=7`);
      expect(sevens.items).toEqual(hundreds.items);
      expect(new Set(sevens.items.map((item) => JSON.stringify(item))).size).toBe(hundreds.items.length);
      expect(sevens.statuses.slice(0, -1).every((status) => status === 206)).toBe(true);
    },
  );

  test('filter through all pages', async () => {
    await using server = await startServer();
    await server.appContext.store.transaction(async (tx) => {
      for (const [at, businessId] of createIds('b', 50).entries())
        await tx.businesses.insert({ businessId, businessName: at % 10 === 0 ? 'tenth' : 'other' });
    });
    const { items, statuses } = await readAllPages(server, '/_iam/businesses?name=tenth&limit=2');
    expect(items).toMatchObject(
      ['b00000', 'b00010', 'b00020', 'b00030', 'b00040'].map((businessId) => ({ businessId })),
    );
    expect(statuses).toEqual([206, 206, 200]);
  });

  test('reject the cursors of other lists and filters', async () => {
    await using server = await startWithMembers();
    await insertMembers(
      server,
      'plain',
      ['p1', 'p2'].map((memberId) => ({ kind: 'user', memberId }) as const),
    );
    await insertMembers(
      server,
      'leads',
      ['p1', 'p2'].map((memberId) => ({ kind: 'user', memberId }) as const),
    );
    const cursor = async (path: string) =>
      new URL(readNextPath(await send(server, path)), server.url).searchParams.get('after') ?? '';
    const ofUsers = await cursor('/_iam/users?limit=1');
    const ofLeads = await cursor('/_iam/groups/leads/members?limit=1');
    for (const path of ['clients', 'businesses', 'customers', 'groups/plain/members'])
      expect(await send(server, `/_iam/${path}?after=${ofUsers}`)).toMatchObject({
        status: 400,
        body: [{ code: 'CURSOR_INVALID' }],
      });
    expect(await send(server, `/_iam/groups/plain/members?after=${ofLeads}`)).toMatchObject({ status: 400 });
    expect(await send(server, `/_iam/users?name=p1&after=${ofUsers}`)).toMatchObject({ status: 400 });
  });
});
