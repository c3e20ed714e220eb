/** The claims of a user's token and the rights of a user: levels, kinds, and roles of groups. */
import { describe, expect, test } from 'vitest';
import type { AuthenticationLevel } from '../../../src/server/directory/authentication-levels.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import type { Customer } from '../../../src/server/store/tables.ts';
import { toAuthorities } from '../../../src/server/tokens/claims.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import {
  alice,
  logIn,
  passwordHash,
  readClaims,
  readRoles,
  startWith,
} from '../operations/user-identities/login-fixtures.ts';
import { userToken } from '../operations/user-token.ts';
import { issueForUser } from '../tokens/issue-token.ts';

const clientRoles = ['CLI-1STPARTY', 'CLI-AUTH-IDENTIFIED'];
const basicRoles = ['AUTH-BASIC', 'AUTH-IDENTIFIED', ...clientRoles];

/** Roles other than those of the level and of the client. */
async function groupRoles(server: TestServer, name: string): Promise<string[]> {
  return readRoles(await logIn(server, { name })).filter((role) => !basicRoles.includes(role));
}

function startSeeded(seed: Omit<SeedDocument, 'users'>, businessId?: string, lead = false) {
  const bob = {
    userId: 'bob',
    userName: 'bob',
    passwordHash,
    lead,
    ...(businessId === undefined ? {} : { businessId }),
  };
  return startWith([bob], { seed: { businesses: [{ businessId: 'b1', businessName: 'One' }], ...seed } });
}

async function addCustomer(server: TestServer, customer: Pick<Customer, 'customerId'> & Partial<Customer>) {
  const createdAt = server.clock.now().toISOString();
  await server.appContext.store.transaction((tx) =>
    tx.customers.insert({ document: String(customer.customerId), createdAt, ...customer }),
  );
}

describe('the token of a user', () => {
  test('contains exactly these claims', async () => {
    await using server = await startWith();
    const now = server.clock.now().getTime() / 1000;
    const claims = readClaims(await logIn(server));
    expect(claims).toEqual({
      iss: server.url,
      aud: server.url,
      sub: alice.userId,
      user_id: alice.userId,
      iat: now,
      exp: now + 3600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      scope: ['READ', 'WRITE'],
      authorities: toAuthorities([...basicRoles, 'PERSON', 'USER']),
      client_id: appClientId,
      app_id: 'iam-app',
      stand_in: true,
    });
  });

  test('contains nothing of the rights of its client except the party and the scope', async () => {
    await using server = await startWith();
    const client = await server.makeClient({
      authorities: ['ADMIN', 'AUTH-MFA'],
      scope: ['account_lock'],
      serviceAccountId: 'service',
      businessId: 'b1',
      organizationId: 'org',
      businessUnitId: 'unit',
    });
    await server.appContext.store.transaction((tx) => tx.businesses.insert({ businessId: 'b1', businessName: 'One' }));
    const own = await server.as({ basic: client }).clientIdentities.login();
    const owned = { business_id: 'b1', service_id: 'service', organization_id: 'org', business_unit_id: 'unit' };
    expect(readClaims(own)).toMatchObject(owned);
    const body = { userName: alice.userName, password: 'open sesame, please' };
    const token = await server
      .as({ basic: client })
      .userIdentities.login({ body, headers: { authorization: `Bearer ${own.accessToken}` } });
    for (const claim of Object.keys(owned)) expect(readClaims(token)).not.toHaveProperty(claim);
    expect(readClaims(token).scope).toEqual(['account_lock']);
    expect(readRoles(token)).toEqual([...basicRoles, 'PERSON', 'USER'].sort());
    const locking = server.as({ token: token.accessToken }).userIdentities.lock({ body: { userId: 'bob' } });
    await expect(locking).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
  });

  test("names the user's business and its customer, and prefers the user's own customer", async () => {
    await using server = await startSeeded({}, 'b1');
    await addCustomer(server, { customerId: 7, businessId: 'b1' });
    expect(readClaims(await logIn(server, { name: 'bob' }))).toMatchObject({ business_id: 'b1', customer_id: 7 });
    await addCustomer(server, { customerId: 8, userId: 'bob' });
    await server.appContext.store.transaction((tx) =>
      tx.businesses.replace({ businessId: 'b1', businessName: 'One', organizationId: 'o', businessUnitId: 'u' }),
    );
    const claims = readClaims(await logIn(server, { name: 'bob' }));
    expect(claims).toMatchObject({ customer_id: 8, organization_id: 'o', business_unit_id: 'u' });
    expect(claims).not.toHaveProperty('service_id');
  });
});

describe('levels are cumulative', () => {
  const expected: [AuthenticationLevel, string[]][] = [
    ['NONE', []],
    ['AUTH-IDENTIFIED', ['AUTH-IDENTIFIED', 'PERSON', 'USER', 'VIEW']],
    ['AUTH-BASIC', ['AUTH-BASIC', 'AUTH-IDENTIFIED', 'PERSON', 'USER', 'VIEW']],
    ['AUTH-MFA', ['AUTH-BASIC', 'AUTH-IDENTIFIED', 'AUTH-MFA', 'PERSON', 'USER', 'VIEW']],
  ];
  test.each(expected)('%s', async (level, roles) => {
    await using server = await startServer();
    const accessToken = await userToken(server, { level, roles: ['VIEW'] });
    expect(readRoles({ accessToken })).toEqual([...roles, ...clientRoles].sort());
  });
});

describe('the kind of a user', () => {
  test.each([
    [undefined, false, ['PERSON', 'USER']],
    [undefined, true, ['PERSON']],
    ['b1', false, ['BUSINESS', 'USER']],
    ['b1', true, ['BUSINESS']],
  ])('of business %s, lead %s', async (businessId, lead, kinds) => {
    await using server = await startSeeded({}, businessId, lead);
    expect(await groupRoles(server, 'bob')).toEqual(kinds);
  });
});

describe('groups grant roles', () => {
  const groups = [
    { groupName: 'own', roles: ['OWN'], dependencies: [{ groupName: 'below' }] },
    { groupName: 'below', roles: ['BELOW'], dependencies: [{ groupName: 'deep' }] },
    { groupName: 'deep', roles: ['DEEP'] },
  ];
  const inGroup = (members: object) => ({
    groups: groups.map((group, at) => (at === 0 ? { ...group, ...members } : group)),
  });
  const grantedRoles = ['BELOW', 'DEEP', 'OWN'];

  test.each([
    ['to the user', { users: ['bob'] }, grantedRoles],
    ['to its business', { businesses: ['b1'] }, grantedRoles],
    ['to the pair of both', { businessUsers: [{ businessId: 'b1', userId: 'bob' }] }, grantedRoles],
    ['but not to others', { users: [alice.userId] }, []],
  ])('%s', async (_whom, members, roles) => {
    await using server = await startSeeded(inGroup(members), 'b1');
    expect(await groupRoles(server, 'bob')).toEqual(['BUSINESS', 'USER', ...roles].sort());
  });

  test('to a pair only while the user belongs to that business', async () => {
    await using server = await startSeeded(inGroup({ businessUsers: [{ businessId: 'b1', userId: 'bob' }] }), 'b1');
    await server.appContext.store.transaction(async (tx) => {
      const { businessId: _businessId, ...user } = (await tx.users.get('bob')) ?? {};
      await tx.users.replace(user as Parameters<typeof tx.users.replace>[0]);
    });
    expect(await groupRoles(server, 'bob')).toEqual(['PERSON', 'USER']);
  });
});

describe('a role counts while both the token and the store have it', () => {
  async function startWithReader() {
    const server = await startServer();
    const accessToken = await userToken(server, { userId: 'bob', roles: ['IAM_ADMIN_READ_ONLY'] });
    const groupId = 'roles-of-bob';
    const read = () => server.as({ token: accessToken }).groups.get({ params: { groupId } });
    return { server, groupId, read, accessToken };
  }
  const missingRole = { code: 'ROLE_MISSING' };

  test('a role that is removed from the group is lost with the next request, and back when it is added again', async () => {
    const { server, groupId, read } = await startWithReader();
    await using _server = server;
    await expect(read()).resolves.toBeDefined();
    await server.admin.groups.removeRole({ params: { groupId, roleName: 'IAM_ADMIN_READ_ONLY' } });
    await expect(read()).rejects.toMatchObject(missingRole);
    await server.admin.groups.addRole({ params: { groupId }, body: { roleName: 'IAM_ADMIN_READ_ONLY' } });
    await expect(read()).resolves.toBeDefined();
  });

  test('a new role is granted with the next token', async () => {
    const { server, groupId, accessToken } = await startWithReader();
    await using _server = server;
    await server.admin.groups.addRole({ params: { groupId }, body: { roleName: 'IAM_ADMIN_MAINTENANCE' } });
    const write = (token: string) => server.as({ token }).groups.create({ body: { groupName: 'new' } });
    await expect(write(accessToken)).rejects.toMatchObject(missingRole);
    const user = await server.appContext.store.users.get('bob');
    const client = await server.appContext.store.clients.get(appClientId);
    const session = await server.appContext.store.sessions.get(readClaims({ accessToken }).sid ?? '');
    if (!user || !client || !session) throw new Error('bob is signed in');
    const { accessToken: next } = await issueForUser(server.appContext, { user, session, client });
    await expect(write(next)).resolves.toBeDefined();
  });

  test('a scope that the client loses is lost by its tokens too', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient({ scope: ['account_unlock'] });
    const { accessToken } = await server.as({ basic: { clientId, clientSecret } }).clientIdentities.login();
    const unlock = () => server.as({ token: accessToken }).userIdentities.unlock({ body: { userId: 'unknown' } });
    await expect(unlock()).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
    await server.appContext.store.transaction(async (tx) => {
      const client = await tx.clients.get(clientId);
      if (client) await tx.clients.replace({ ...client, scope: [] });
    });
    await expect(unlock()).rejects.toMatchObject(missingRole);
  });
});

test('a token of a user does not authenticate the client that obtained it', async () => {
  await using server = await startWith();
  const { accessToken } = await logIn(server);
  await expect(server.as({ token: accessToken }).groups.list()).rejects.toMatchObject({ status: 403 });
  expect(readClaims(await server.as(adminClient).clientIdentities.login())).not.toHaveProperty('user_id');
});
