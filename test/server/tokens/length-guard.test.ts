/** A write that makes tokens longer than the setting max-token is rejected, and leaves the store as it was. */
import { describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';

/** As many roles that a token of the default limit contains 690 of. */
function listRoles(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}_${String(at).padStart(25 - prefix.length, '0')}`);
}

const half = 400;
const over = 800;

const rejected = { status: 422, code: 'TOKEN_LIMIT_EXCEEDED', message: expect.stringContaining('32768 bytes') };

async function expectRejected(server: TestServer, write: () => Promise<unknown>, error: object = rejected) {
  const before = await server.dump();
  await expect(write()).rejects.toMatchObject(error);
  expect(await server.dump()).toEqual(before);
}

const seed = {
  businesses: [{ businessId: 'acme', businessName: 'Acme' }],
  users: [
    { userId: 'ann', userName: 'ann', businessId: 'acme' },
    { userId: 'bob', userName: 'bob' },
  ],
  clients: [{ clientId: 'reader', serviceAccountId: 'reader-service' }],
  groups: [
    {
      groupName: 'first',
      roles: listRoles(half, 'FIRST'),
      users: ['ann'],
      services: ['reader-service'],
    },
    { groupName: 'second', roles: listRoles(half, 'SECOND') },
    { groupName: 'base' },
    { groupName: 'dependent', roles: listRoles(half, 'DEPENDENT'), dependencies: [{ groupName: 'base' }] },
  ],
};

const body = { groupName: 'large', roles: listRoles(over, 'LARGE') };
const params = { groupId: 'second' };

const writes: Record<string, (server: TestServer) => Promise<unknown>> = {
  'a new group with too many roles': ({ admin }) => admin.groups.create({ body }),
  'too many roles of a group': ({ admin }) => admin.groups.update({ params, body }),
  'a dependency': ({ admin }) => admin.groups.addDependency({ params, body: { groupName: 'first' } }),
  'roles that a dependent group inherits': ({ admin }) =>
    admin.groups.update({ params: { groupId: 'base' }, body: { groupName: 'base', roles: listRoles(half, 'BASE') } }),
  'a user in a second group': ({ admin }) =>
    admin.userAccesses.addUser({ params: { groupName: 'second' }, body: [{ userId: 'bob' }, { userId: 'ann' }] }),
  'a user of a business in a second group': ({ admin }) =>
    admin.userAccesses.addBusinessUser({
      params: { groupName: 'second', businessId: 'acme' },
      body: [{ userId: 'ann' }],
    }),
  'a service in a second group': ({ admin }) =>
    admin.serviceAccesses.addService({ params, body: [{ serviceId: 'reader-service' }] }),
};

describe('rejects', () => {
  test.each(Object.entries(writes))('%s', async (_name, write) => {
    await using server = await startServer({ seed });
    await expectRejected(server, () => write(server));
  });

  test('one role more than fits, and accepts the last that fits', async () => {
    await using server = await startServer({ seed });
    const groupNames = { params: { groupId: 'base' } };
    for (let count = 1; ; count += 1) {
      const added = await server.admin.groups
        .addRole({ ...groupNames, body: { roleName: `R${count}_${'X'.repeat(80)}` } })
        .catch((error: unknown) => error);
      if (added instanceof Error) {
        expect(added).toMatchObject(rejected);
        expect(count).toBeGreaterThan(50);
        break;
      }
    }
  });

  test('a client with too much scope', async () => {
    await using server = await startServer({ flags: { 'max-token': '8192' } });
    const scope = listRoles(100, 'SCOPE').map((name) => `${name}${'0'.repeat(70)}`);
    await expectRejected(server, () => server.admin.clientIdentities.create({ body: { appId: 'large', scope } }), {
      code: 'TOKEN_LIMIT_EXCEEDED',
    });
  });

  test('the business of a user', async () => {
    await using server = await startServer({ seed });
    const { businessAccesses, userAccesses, userIdentities } = server.admin;
    await businessAccesses.addBusiness({ params, body: [{ businessId: 'acme' }] });
    await userAccesses.addUser({ params: { groupName: 'first' }, body: [{ userId: 'bob' }] });
    await expectRejected(server, () => userIdentities.update({ params: { id: 'bob' }, body: { businessId: 'acme' } }));
  });
});

test('accepts changes that take roles away, also while tokens are too long', async () => {
  await using server = await startServer({ seed });
  const { store } = server.appContext;
  await store.transaction(async (tx) => {
    const group = await tx.groups.getBy('groupName', 'second');
    if (group) await tx.groups.replace({ ...group, roles: listRoles(over, 'SECOND') });
  });
  const roles = listRoles(over - 1, 'SECOND');
  await server.admin.groups.update({ params, body: { groupName: 'second', roles } });
});

describe('an administrator whose token would be too long', () => {
  /** The administrator of the bootstrap is the only one. */
  async function startWithAdministrator(): Promise<{ server: TestServer; userId: string }> {
    const server = await startServer({ seed });
    const { store } = server.appContext;
    const group = await store.groups.getBy('groupName', 'iam-administrators');
    const [membership] = await store.memberships.find('group', group?.groupId ?? '');
    const userId = membership?.memberId ?? '';
    const { userAccesses } = server.admin;
    for (const groupName of ['first', 'base'])
      await userAccesses.addUser({ params: { groupName }, body: [{ userId }] });
    return { server, userId };
  }

  const last = { status: 422, code: 'LAST_ADMINISTRATOR' };

  test('cannot be the last one: roles of its groups that are too long only together are rejected', async () => {
    const { server } = await startWithAdministrator();
    await using _server = server;
    const { groups } = server.admin;
    await groups.removeDependency({ params: { groupId: 'dependent', dependencyName: 'base' } });
    await expectRejected(
      server,
      () => groups.update({ params: { groupId: 'base' }, body: { groupName: 'base', roles: listRoles(half, 'BASE') } }),
      last,
    );
  });

  test('does not count as one who can sign in', async () => {
    const { server, userId } = await startWithAdministrator();
    await using _server = server;
    const { store } = server.appContext;
    await store.transaction(async (tx) => {
      const admins = await tx.groups.getBy('groupName', 'iam-administrators');
      const second = await tx.groups.getBy('groupName', 'second');
      const user = await tx.users.get(userId);
      if (!admins || !second || !user) throw new Error('no administrator');
      const { bootstrap: _none, ...fields } = user;
      await tx.users.insert({ ...fields, userId: 'eve', userName: 'eve', userEmail: 'eve@example.com' });
      await tx.memberships.insert({ groupId: admins.groupId, kind: 'user', memberId: 'eve' });
      await tx.memberships.insert({ groupId: second.groupId, kind: 'user', memberId: userId });
    });
    await expectRejected(server, () => server.admin.userIdentities.remove({ params: { id: 'eve' } }), {
      code: 'LAST_ADMINISTRATOR',
    });
  });
});
