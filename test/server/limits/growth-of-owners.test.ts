/** The growth limits of authenticated callers that anyone can become: users, and the clients that they own. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { appClientId, startServer, type TestClient, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { lastCode } from '../operations/otp-inbox.ts';
import { newPassword, retrieve } from '../operations/user-identities/flows.ts';
import { alice, passwordHash, startWith } from '../operations/user-identities/login-fixtures.ts';
import { createTokens } from '../operations/user-identities/session-fixtures.ts';
import { type TestUser, userToken } from '../operations/user-token.ts';

const proxied = { 'trusted-proxies': '127.0.0.0/8' };
const start = (flags: Record<string, string | boolean> = {}) =>
  startServer({ flags: { ...proxied, 'growth-limit-owner': '3', ...flags } });

let requests = 0;
/** Another network with each request, so that no limit of a network applies. */
function nextNetwork(): string {
  requests += 1;
  return `198.51.${Math.floor(requests / 250)}.${requests % 250}`;
}

interface Creation {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly from?: string | undefined;
}

const post = (server: TestServer, { path, headers, body, from = nextNetwork() }: Creation) =>
  send(server, path, { method: 'POST', headers: { 'X-Forwarded-For': from, ...headers }, body });

/** A function that creates something as one caller. @returns the status. */
type Create = (from?: string) => Promise<number>;

/** A user that sends sign-up codes to strangers, each in a message. */
async function createAsUser(server: TestServer, user: TestUser = {}): Promise<Create> {
  const headers = { Authorization: `Bearer ${await userToken(server, { level: 'AUTH-IDENTIFIED', ...user })}` };
  return async (from) => {
    const body = { userEmail: `stranger${nextNetwork()}@example.com` };
    return (await post(server, { path: `${servicePrefix}/user-identities/identification`, headers, body, from }))
      .status;
  };
}

/** A client that starts sessions for itself. */
async function createAsClient(server: TestServer, client: TestClient): Promise<Create> {
  const made = await server.makeClient({ party: '3RDPARTY', grantTypes: ['client_credentials'], ...client });
  const body = { grantType: 'client_credentials', ...made };
  return async (from) => (await post(server, { path: `${servicePrefix}/generate-token`, body, from })).status;
}

async function repeat(count: number, create: Create, from?: string): Promise<number[]> {
  const statuses = [];
  for (let sent = 0; sent < count; sent += 1) statuses.push(await create(from));
  return statuses;
}

const accepted = [201, 201, 201];

describe('an owner', () => {
  test('creates 1,000 objects in an hour by default, from any networks, and as many in the next', async () => {
    await using server = await startServer({ flags: proxied });
    const create = await createAsClient(server, { userId: 'tenant' });
    await createAsUser(server, { userId: 'tenant' });
    const { growthLimits } = server.appContext;
    for (let made = 0; made < 998; made += 1) growthLimits.reserve({ network: nextNetwork(), owner: '/user tenant' });
    expect(await repeat(2, create)).toEqual([201, 201]);
    const before = await server.dump();
    expect(await create()).toBe(429);
    expect(await server.dump()).toEqual(before);
    server.clock.advance(3600);
    expect(await create()).toBe(201);
  });

  test.each(['NONE', 'AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'] as const)(
    'is a user at level %s, with all clients that it owns and that these own',
    async (level) => {
      await using server = await start();
      const user = await createAsUser(server, { userId: 'tenant', level });
      const client = await createAsClient(server, { clientId: 'first', userId: 'tenant' });
      const itsClient = await createAsClient(server, { ownerClientId: 'first' });
      expect([await user(), await client(), await itsClient()]).toEqual(accepted);
      expect([await user(), await client(), await itsClient()]).toEqual([429, 429, 429]);
      expect(await repeat(4, await createAsUser(server))).toEqual([...accepted, 429]);
    },
  );

  test('is a business, with its users, its clients and theirs', async () => {
    await using server = await start();
    const owner = await createAsUser(server, { userId: 'boss', businessId: 'acme', roles: ['BUSINESSOWNER'] });
    const client = await createAsClient(server, { businessId: 'acme' });
    const ofUser = await createAsClient(server, { userId: 'boss' });
    expect([await owner(), await client(), await ofUser()]).toEqual(accepted);
    expect([await owner(), await client(), await ofUser()]).toEqual([429, 429, 429]);
    expect(await (await createAsUser(server, { businessId: 'other' }))()).toBe(201);
  });

  test('is a third-party client without an owner', async () => {
    await using server = await start();
    expect(await repeat(4, await createAsClient(server, {}))).toEqual([...accepted, 429]);
  });

  test('is a client with a user token of its own: what it creates counts for the user', async () => {
    await using server = await start();
    const client = await server.makeClient({ clientId: 'portal' });
    const headers = { Authorization: `Bearer ${await userToken(server, { clientId: client.clientId })}` };
    const path = `${servicePrefix}/my-client-identities`;
    const create: Create = async () => (await post(server, { path, headers, body: { appId: 'app' } })).status;
    expect(await repeat(4, create)).toEqual([...accepted, 429]);
  });

  test('is limited with concurrent requests', async () => {
    await using server = await start();
    const create = await createAsUser(server);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(await server.appContext.store.messages.count()).toBe(3);
  });

  test('learns the limit, the setting and the time', async () => {
    await using server = await start();
    const headers = { Authorization: `Bearer ${await userToken(server)}` };
    const path = `${servicePrefix}/my-client-identities`;
    for (let made = 0; made < 3; made += 1) await post(server, { path, headers, body: { appId: 'app' } });
    const response = await post(server, { path, headers, body: { appId: 'app' } });
    expect(response).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
    expect(response.body).toMatchObject([
      {
        code: 'GROWTH_LIMIT',
        message: expect.stringContaining('(setting growth-limit-owner)'),
        details: { setting: 'growth-limit-owner', retryAfter: 3600 },
      },
    ]);
  });
});

describe('no limit applies to', () => {
  test.each([
    ['an administrator', (server: TestServer) => createAsUser(server, { roles: ['IAM_ADMIN_READ_ONLY'] })],
    ['a first-party client without an owner', (server: TestServer) => createAsClient(server, { party: '1STPARTY' })],
    [
      'a client of an administrator',
      async (server: TestServer) => {
        await createAsUser(server, { userId: 'chief', roles: ['ADMIN'] });
        return createAsClient(server, { userId: 'chief' });
      },
    ],
  ])('%s', async (_, make) => {
    await using server = await start();
    expect(await repeat(5, await make(server))).toEqual(Array(5).fill(201));
  });

  test('an owner on a loopback address', async () => {
    await using server = await start();
    expect(await repeat(5, await createAsUser(server), '127.0.0.1')).toEqual(Array(5).fill(201));
  });

  test.each([{ 'growth-limit-owner': '0' }, { 'disable-rate-limits': true }])('a server with %o', async (flags) => {
    await using server = await start(flags as Record<string, string | boolean>);
    expect(await repeat(5, await createAsUser(server))).toEqual(Array(5).fill(201));
  });
});

describe('all owners of one network', () => {
  test('share a limit, whose exhaustion affects no other network, administrator or unauthenticated caller', async () => {
    await using server = await start({ 'growth-limit-owners': '3', 'growth-limit-owner': '2' });
    const from = nextNetwork();
    const users = [await createAsUser(server), await createAsClient(server, {}), await createAsUser(server)];
    const statuses = [];
    for (const create of [...users, ...users]) statuses.push(await create(from));
    expect(statuses).toEqual([...accepted, 429, 429, 429]);
    expect(await users[0]?.()).toBe(201);
    expect(await (await createAsUser(server, { roles: ['ADMIN'] }))(from)).toBe(201);
    const path = `${servicePrefix}/user-identities/identification?clientId=${appClientId}`;
    expect((await post(server, { path, body: { userEmail: 'new@example.com' }, from })).status).toBe(201);
  });

  test('create as many as they like with the setting 0', async () => {
    await using server = await start({ 'growth-limit-owners': '0', 'growth-limit-owner': '1' });
    const from = nextNetwork();
    for (let users = 0; users < 5; users += 1) expect(await (await createAsUser(server))(from)).toBe(201);
  });
});

test('a recovery restores the limit that an attacker with the password used up, once an hour', async () => {
  await using server = await startWith([], { flags: { ...proxied, 'growth-limit-owner': '3' } });
  const { accessToken } = await createTokens(server);
  const headers = { Authorization: `Bearer ${accessToken}` };
  const path = `${servicePrefix}/user-identities/identification`;
  const create = (token = headers) =>
    post(server, { path, headers: token, body: { userEmail: `stranger${nextNetwork()}@example.com` } });
  for (let sent = 0; sent < 3; sent += 1) expect((await create()).status).toBe(201);
  expect((await create()).status).toBe(429);
  const recover = async () => {
    expect(await retrieve(server)).toMatchObject({ status: 201 });
    const body = { newPassword, validationCode: await lastCode(server, alice.userEmail), username: alice.userName };
    const reset = `${servicePrefix}/user-identities/reset-password?clientId=${appClientId}`;
    expect((await post(server, { path: reset, body })).status).toBe(201);
    return { Authorization: `Bearer ${(await createTokens(server)).accessToken}` };
  };
  const own = await recover();
  for (let sent = 0; sent < 3; sent += 1) expect((await create(own)).status).toBe(201);
  const again = await recover();
  expect((await create(again)).status).toBe(429);
});

test('a recovery of a user of a business does not restore the limit that its users share', async () => {
  const businesses = [{ businessId: 'acme', businessName: 'Acme' }];
  const users = [{ ...alice, businessId: 'acme' }];
  await using server = await startServer({
    flags: { ...proxied, 'growth-limit-owner': '3' },
    seed: { users, businesses },
  });
  const create = await createAsClient(server, { businessId: 'acme' });
  expect(await repeat(4, create)).toEqual([...accepted, 429]);
  expect(await retrieve(server)).toMatchObject({ status: 201 });
  const body = { newPassword, validationCode: await lastCode(server, alice.userEmail), username: alice.userName };
  const reset = `${servicePrefix}/user-identities/reset-password?clientId=${appClientId}`;
  expect((await post(server, { path: reset, body })).status).toBe(201);
  expect(await create()).toBe(429);
});

describe('a renewal', () => {
  const flags = { ...proxied, 'growth-limit': '1', 'growth-limit-owner': '1' };
  const from = '203.0.113.7';

  async function exhaust(server: TestServer): Promise<void> {
    const path = `${servicePrefix}/user-identities/identification?clientId=${appClientId}`;
    expect((await post(server, { path, body: { userEmail: 'a@example.com' }, from })).status).toBe(201);
    expect((await post(server, { path, body: { userEmail: 'b@example.com' }, from })).status).toBe(429);
  }

  test('is no creation, up to 60 an hour of one session', async () => {
    await using server = await startWith([], { flags });
    await exhaust(server);
    let { refreshToken } = await createTokens(server);
    const path = `${servicePrefix}/user-identities/renew-token?clientId=${appClientId}`;
    const renew = async () => {
      const { status, body } = await post(server, { path, body: { refreshToken }, from });
      if (status === 201) ({ refreshToken } = body as { refreshToken: string });
      return status;
    };
    expect(new Set(await repeat(60, renew))).toEqual(new Set([201]));
    const before = await server.dump();
    expect(await renew()).toBe(429);
    expect(await server.dump()).toEqual(before);
    // Another network still has its limit: the 61st renewal is a creation there.
    const elsewhere = await post(server, { path, body: { refreshToken }, from: '203.0.113.8' });
    expect(elsewhere.status).toBe(201);
    ({ refreshToken } = elsewhere.body as { refreshToken: string });
    server.clock.advance(3600);
    expect(await renew()).toBe(201);
  });

  test('is a creation beyond 1,000 an hour of all sessions of a user', async () => {
    await using server = await startWith([{ userId: 'bob', userName: 'bob', passwordHash }], { flags });
    await exhaust(server);
    const path = `${servicePrefix}/user-identities/renew-token?clientId=${appClientId}`;
    const { growthLimits } = server.appContext;
    for (let renewal = 0; renewal < 998; renewal += 1)
      expect(growthLimits.addRenewal(`session ${renewal % 20}`, `user ${alice.userId}`)).toBe(true);
    const statuses = [];
    for (let sessions = 0; sessions < 4; sessions += 1) {
      const { refreshToken } = await createTokens(server);
      statuses.push((await post(server, { path, body: { refreshToken }, from })).status);
    }
    expect(statuses).toEqual([201, 201, 429, 429]);
    const other = await createTokens(server, { userId: 'bob' });
    expect((await post(server, { path, body: { refreshToken: other.refreshToken }, from })).status).toBe(201);
  });

  test('that is rejected counts for nothing, and the reuse of a token still ends the session', async () => {
    await using server = await startWith([], { flags });
    await exhaust(server);
    const { refreshToken } = await createTokens(server);
    const path = `${servicePrefix}/user-identities/renew-token?clientId=${appClientId}`;
    const renew = () => post(server, { path, body: { refreshToken }, from });
    const { status, body } = await renew();
    expect(status).toBe(201);
    expect((await renew()).status).toBe(401);
    const next = (body as { refreshToken: string }).refreshToken;
    expect((await post(server, { path, body: { refreshToken: next }, from })).status).toBe(401);
  });

  test('may be a change of the application, or a grant at the token endpoint', async () => {
    await using server = await startWith([], { flags });
    await exhaust(server);
    const { accessToken, refreshToken } = await createTokens(server);
    const spent = await post(server, {
      path: `${servicePrefix}/my-client-identities`,
      headers: { Authorization: `Bearer ${accessToken}` },
      body: { appId: 'app' },
    });
    expect(spent.status).toBe(201);
    const path = `${servicePrefix}/user-identities/me/change-app?targetClientId=${appClientId}`;
    const changed = await post(server, { path, headers: { Authorization: `Bearer ${accessToken}` }, body: {}, from });
    expect(changed.status).toBe(200);
    const { refreshToken: next } = changed.body as { refreshToken: string };
    expect(next).not.toBe(refreshToken);
    const grant = { grantType: 'refresh_token', clientId: appClientId, refreshToken: next };
    expect((await post(server, { path: `${servicePrefix}/generate-token`, body: grant, from })).status).toBe(201);
    const login = { grantType: 'password', clientId: appClientId, userName: alice.userName, password: 'wrong' };
    expect((await post(server, { path: `${servicePrefix}/generate-token`, body: login, from })).status).toBe(401);
  });
});
