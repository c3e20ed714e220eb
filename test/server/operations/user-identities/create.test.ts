import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../../harness.ts';
import { asUser } from '../user-token.ts';
import { expectRejected, rowOf } from './callers.ts';
import { alice, logIn, readClaims, readRoles, startWith } from './login-fixtures.ts';

const query = { clientId: appClientId };
const body = { userName: 'bob', userEmail: 'bob@example.com' };

const create = (server: TestServer, more: object = {}, as: IamClient = server.as(), named = true) =>
  as.userIdentities.create({ ...(named ? { query } : {}), body: { ...body, ...more } });

test('creates a user whose token has no authentication level', async () => {
  await using server = await startServer();
  const userMobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
  const token = await create(server, { userId: 'bob-id', userMobile });
  expect(token).toEqual({
    accessToken: expect.any(String),
    tokenType: 'Bearer',
    expiresIn: '3600',
    scope: ['READ', 'WRITE'],
  });
  expect(readClaims(token)).toMatchObject({ sub: 'bob-id', user_id: 'bob-id', client_id: appClientId });
  expect(readRoles(token)).toEqual(['CLI-1STPARTY', 'CLI-AUTH-IDENTIFIED']);
  expect(await rowOf(server, 'bob-id')).toEqual({
    ...body,
    userId: 'bob-id',
    selfRegistered: true,
    userMobile,
    lead: false,
    locked: false,
    emailVerified: false,
    mobileVerified: false,
    identities: [],
    createdAt: server.clock.now().toISOString(),
  });
});

test('generates an id if none is sent, stores lead, and accepts remember-me', async () => {
  await using server = await startServer();
  const token = await server.as().userIdentities.create({
    query: { ...query, 'remember-me': true },
    body: { ...body, lead: true },
  });
  expect(token).toMatchObject({ expiresIn: '600', refreshToken: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const { sub } = readClaims(token);
  expect(sub).toMatch(/^[0-9a-f]{24}$/);
  expect(await rowOf(server, sub)).toMatchObject({ lead: true });
});

test('accepts any first-party client, identified or authenticated, also on behalf of a user', async () => {
  await using server = await startServer();
  const thirdParty = await server.makeClient({ party: '3RDPARTY' });
  const callers = [server.as(), server.as(adminClient), server.as({ basic: adminClient }), await asUser(server)];
  for (const [at, caller] of callers.entries())
    expect(readClaims(await create(server, { userName: `user-${at}` }, caller, at === 0))).toHaveProperty('user_id');
  await expectRejected(server, () => create(server, {}, server.as(), false), {
    status: 401,
    code: 'CREDENTIALS_MISSING',
  });
  await expectRejected(server, () => create(server, {}, server.as({ basic: thirdParty }), false), {
    status: 401,
    code: 'ROLE_MISSING',
  });
});

describe('rejects a login identifier of another user:', () => {
  const conflicts: [string, object, string][] = [
    ['a user name', { userName: 'Alice' }, 'LOGIN_NAME_TAKEN'],
    ['in another case', { userName: 'aLICE' }, 'LOGIN_NAME_TAKEN'],
    ['in another normalization', { userName: 'Rene\u0301' }, 'LOGIN_NAME_TAKEN'],
    ['a user id as name', { userName: 'ALICE-ID' }, 'LOGIN_NAME_TAKEN'],
    ['a user name as id', { userId: 'alice' }, 'LOGIN_NAME_TAKEN'],
    ['a further identifier', { userName: 'alice.smith' }, 'LOGIN_NAME_TAKEN'],
    ['a user id', { userId: 'alice-id' }, 'ID_TAKEN'],
    ['a client id', { userId: appClientId }, 'ID_TAKEN'],
    ['a service account id', { userId: 'service-account' }, 'ID_TAKEN'],
  ];
  test('in every form', async () => {
    const clients = [{ clientId: 'c', clientSecret: 'secret', serviceAccountId: 'service-account' }];
    await using server = await startWith([{ userId: 'rene', userName: 'Ren\u00e9' }], { seed: { clients } });
    for (const [what, more, code] of conflicts) {
      const before = await server.dump();
      await expect(create(server, more), what).rejects.toMatchObject({ status: 412, code });
      expect(await server.dump()).toEqual(before);
    }
  });

  test('accepts an e-mail address that another user has not verified, which is not a login identifier', async () => {
    await using server = await startWith();
    await create(server, { userName: 'bob', userEmail: alice.userEmail });
    await create(server, { userName: 'eve', userEmail: 'bob@example.com' });
    await create(server, { userName: 'dan', userEmail: 'bob@example.com' });
    await create(server, { userName: 'bob@example.com', userEmail: 'bob@example.com' });
    expect(readClaims(await logIn(server, { name: alice.userEmail })).sub).toBe(alice.userId);
  });

  test('never reuses an id of a removed user, but frees its names', async () => {
    await using server = await startWith();
    await server.admin.userIdentities.remove({ params: { id: alice.userId } });
    await expectRejected(server, () => create(server, { userId: alice.userId }), { status: 412, code: 'ID_TAKEN' });
    await expect(create(server, { userName: alice.userName })).resolves.toBeDefined();
  });
});

describe('a business can be set', () => {
  const businesses = ['b1', 'b2'].map((businessId) => ({ businessId, businessName: businessId }));
  const notAllowed = { status: 412, code: 'BUSINESS_NOT_ALLOWED' };

  test('by authenticated first-party clients and by administrators', async () => {
    await using server = await startServer({ seed: { businesses } });
    const callers = [
      server.as({ basic: await server.makeClient() }),
      await asUser(server, { roles: ['ADMIN'] }),
      await asUser(server, { roles: ['IAM_ADMIN_MAINTENANCE'] }),
    ];
    for (const [at, caller] of callers.entries()) {
      const token = await create(server, { userName: `user-${at}`, businessId: 'b1' }, caller, false);
      expect(readClaims(token)).toMatchObject({ business_id: 'b1' });
      const unknown = () => create(server, { businessId: 'b3' }, caller, false);
      await expectRejected(server, unknown, { status: 412, code: 'BUSINESS_UNKNOWN' });
    }
  });

  test.each(['BUSINESSOWNER', 'BUSINESSADMIN'])('by its own %s, but not for another business', async (role) => {
    await using server = await startServer({ seed: { businesses } });
    const owner = await asUser(server, { roles: [role], businessId: 'b1' });
    await expect(create(server, { businessId: 'b1' }, owner, false)).resolves.toBeDefined();
    for (const businessId of ['b2', 'b3'])
      await expectRejected(server, () => create(server, { userName: 'eve', businessId }, owner, false), notAllowed);
  });

  test('by no other caller, which does not learn whether the business exists', async () => {
    await using server = await startServer({ seed: { businesses } });
    const callers = [server.as(), await asUser(server, { roles: ['BUSINESSUSER'], businessId: 'b1' })];
    for (const [at, caller] of callers.entries())
      for (const businessId of ['b1', 'b3'])
        await expectRejected(server, () => create(server, { businessId }, caller, at === 0), notAllowed);
  });
});

describe('rejects', () => {
  test('a code if none was sent', async () => {
    await using server = await startServer();
    const users = await server.appContext.store.users.count();
    await expect(create(server, { token: '123456' })).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
    expect(await server.appContext.store.users.count()).toBe(users);
  });
});

test.each(['constructor', '__proto__', 'toString'])('accepts %s as a name and an id', async (name) => {
  await using server = await startServer();
  const token = await create(server, { userId: name, userName: `${name}-name` });
  expect(readClaims(token).sub).toBe(name);
  await expectRejected(server, () => create(server, { userName: name }), { status: 412, code: 'LOGIN_NAME_TAKEN' });
  const view = await server.admin.userIdentities.get({ params: { id: name } });
  expect(view).toMatchObject({ userEmail: body.userEmail });
});
