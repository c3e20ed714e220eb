/** A seed that makes tokens longer than the setting max-token is rejected as a whole, with each of their holders. */
import { describe, expect, test } from 'vitest';
import { startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { listRoles } from '../operations/user-identities/login-fixtures.ts';

type Seed = NonNullable<TestServerOptions['seed']>;

const half = 400;

const seed: Seed = {
  businesses: [{ businessId: 'acme', businessName: 'Acme' }],
  users: [
    { userId: 'bob', userName: 'bob' },
    { userName: 'ann', userId: 'ann' },
    { userId: 'carl', userName: 'carl', businessId: 'acme' },
    { userId: 'dora', userName: 'dora', businessId: 'acme' },
  ],
  clients: [{ clientId: 'reader', serviceAccountId: 'reader-service' }],
  groups: [
    {
      groupName: 'first',
      roles: listRoles(half, 'FIRST'),
      users: ['bob', 'ann'],
      services: ['reader-service'],
      businessUsers: [{ businessId: 'acme', userId: 'carl' }],
    },
    { groupName: 'second', dependencies: [{ groupName: 'base' }] },
    { groupName: 'base' },
  ],
};

const base = (count: number) => ({ groupName: 'base', roles: listRoles(count, 'BASE') });

/** Applies a seed through the control plane. @returns the fields of the errors, with the messages */
async function apply(server: TestServer, document: Seed): Promise<[string, string][]> {
  const response = await fetch(`${server.url}/_iam/seed`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(document),
  });
  if (response.status === 200) return [];
  expect(response.status).toBe(400);
  const items = (await response.json()) as { code: string; message: string; details?: { field: string } }[];
  expect(new Set(items.map(({ code }) => code))).toEqual(new Set(['FIELD_VALUE']));
  return items.map(({ message, details }) => [details?.field ?? '', message]);
}

async function expectRejected(server: TestServer, document: Seed, holders: Readonly<Record<string, string>>) {
  const before = await server.dump();
  const errors = await apply(server, document);
  const expected = Object.entries(holders).map(([field, holder]) => [
    field,
    expect.stringMatching(
      new RegExp(
        `^${field.replaceAll(/[[\]]/g, '\\$&')}: a token of ${holder} would have [68]0\\d roles and \\d{5} bytes\\. The limit is 32768 bytes: use fewer roles, or a higher max-token\\.$`,
      ),
    ),
  ]);
  expect(errors.sort()).toEqual(expected.sort());
  expect(await server.dump()).toEqual(before);
}

describe('is rejected with each holder at its place', () => {
  const all = {
    groups: [
      base(half),
      { groupName: 'second', users: ['bob'], businesses: ['acme'], services: ['reader-service'] },
      { groupName: 'third', dependencies: [{ groupName: 'first' }, { groupName: 'second' }] },
    ],
  };

  test('members that it adds, and a group whose roles are too long alone', async () => {
    await using server = await startServer({ seed });
    await expectRejected(server, all, {
      'groups[1].users[0]': 'the user bob',
      'groups[1].businesses[0]': 'the user carl',
      'groups[1].services[0]': 'the client reader',
      'groups[2]': 'a member of the group "third"',
    });
  });

  test('users and clients of the document', async () => {
    await using server = await startServer({ seed });
    const [users, clients] = [[{ userName: 'carl', locked: true }, { userId: 'bob' }], [{ clientId: 'reader' }]];
    await expectRejected(
      server,
      { ...all, users, clients },
      {
        'users[0]': 'the user carl',
        'users[1]': 'the user bob',
        'clients[0]': 'the client reader',
        'groups[2]': 'a member of the group "third"',
      },
    );
  });

  test('members that the group had before, also through a dependency', async () => {
    await using server = await startServer({ seed });
    await server.admin.userAccesses.addUser({ params: { groupName: 'second' }, body: [{ userId: 'ann' }] });
    expect(await apply(server, { groups: [base(half - 150)] })).toEqual([]);
    await expectRejected(server, { groups: [base(half)] }, { 'groups[0]': 'the user ann' });
  });

  test('the authorities and the scope of clients, new ones and others', async () => {
    await using server = await startServer({ seed });
    const authorities = listRoles(half);
    const scope = listRoles(600, 'SCOPE');
    const clients = [
      { clientId: 'reader', authorities },
      { clientId: 'new', scope, authorities },
    ];
    const errors = await apply(server, { clients });
    expect(errors.map(([field]) => field)).toEqual(['clients[0]', 'clients[1]']);
  });

  test('users whose business it changes', async () => {
    await using server = await startServer({ seed });
    const businesses = [{ businessId: 'other', businessName: 'Other' }];
    const groups = [base(half), { groupName: 'second', businesses: ['other'] }];
    expect(await apply(server, { businesses, groups })).toEqual([]);
    await expectRejected(server, { users: [{ userId: 'bob', businessId: 'other' }] }, { 'users[0]': 'the user bob' });
  });
});

describe('is accepted', () => {
  test('if no user has the roles of all groups', async () => {
    await using server = await startServer({ seed });
    expect(
      await apply(server, { groups: [base(half), { groupName: 'more', roles: listRoles(half, 'MORE') }] }),
    ).toEqual([]);
  });

  test('if roles move from one group of a member to another', async () => {
    await using server = await startServer({ seed });
    const groups = [
      { groupName: 'first', roles: [] },
      { groupName: 'second', users: ['bob', 'ann'], services: ['reader-service'] },
      base(half),
    ];
    expect(await apply(server, { groups })).toEqual([]);
  });

  test('if it changes nothing for a holder whose token is too long already', async () => {
    await using server = await startServer({ seed });
    const { store } = server.appContext;
    await store.transaction(async (tx) => {
      const group = await tx.groups.getBy('groupName', 'first');
      if (group) await tx.groups.replace({ ...group, roles: listRoles(2 * half, 'FIRST') });
    });
    expect(await apply(server, { users: [{ userId: 'bob', locked: true }], groups: [{ groupName: 'new' }] })).toEqual(
      [],
    );
    const fewer = { groupName: 'first', roles: listRoles(2 * half - 1, 'FIRST') };
    expect(await apply(server, { groups: [fewer] })).toEqual([]);
  });
});

const others = seed.groups?.filter(({ groupName }) => groupName !== 'base') ?? [];
const over = { ...seed, groups: [...others, { ...base(half), users: ['ann'] }] };
const message = /users\[1\]: a token of the user ann would have 80\d roles/;

test('a server does not start with such a seed, but with a higher limit', async () => {
  await expect(startServer({ seed: over })).rejects.toThrow(message);
  await using server = await startServer({ seed: over, flags: { 'max-token': '65536' } });
  expect(await server.appContext.store.users.get('ann')).toBeDefined();
});

test('a sandbox is not created with such a seed', async () => {
  await using server = await startServer();
  const response = await fetch(`${server.url}/_iam/sandboxes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'team', seed: over }),
  });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    [{ code: 'FIELD_VALUE', details: { field: 'seed.users[1]' } }],
  ]);
  expect(server.appContext.sandboxes.list()).toEqual([]);
});

test('an administrator whose token is too long does not count as the last one', async () => {
  await using server = await startServer({
    seed: {
      users: [{ userId: 'eve', userName: 'eve', password: 'sunny-meadow-lantern' }],
      groups: [{ groupName: 'iam-administrators', users: ['eve'] }],
    },
  });
  const { store } = server.appContext;
  const admin = await store.users.getBy('bootstrap', 'admin');
  await store.transaction(async (tx) => {
    await tx.groups.insert({
      groupId: 'g1',
      groupName: 'large',
      roles: listRoles(2 * half),
      dependencies: [],
      createdAt: 'x',
    });
    await tx.memberships.insert({ groupId: 'g1', kind: 'user', memberId: admin?.userId ?? '' });
  });
  const before = await server.dump();
  const errors = await apply(server, { users: [{ userId: 'eve', locked: true }] });
  expect(errors).toEqual([['', expect.stringContaining('administrator')]]);
  expect(await server.dump()).toEqual(before);
});
