import { describe, expect, test } from 'vitest';
import { createMainframe } from '../../../../src/server/integrations.ts';
import { createHashQueue } from '../../../../src/server/limits/hash-queue.ts';
import { createPasswords } from '../../../../src/server/users/passwords.ts';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import { lastCode } from '../otp-inbox.ts';
import { createSession } from './callers.ts';
import {
  alice,
  basic,
  hashFast,
  logIn,
  passwordHash,
  post,
  postForm,
  postJson,
  readClaims,
  readRoles,
} from './login-fixtures.ts';
import {
  afterMainframeRequest,
  createLogonClient,
  dora,
  logInLegacy,
  logonPassword,
  replaceMainframe,
  startWithLogons,
  stopMainframe,
} from './logon-fixtures.ts';

const path = '/user-identities/login-legacy';
const named = `${path}?clientId=${appClientId}`;

describe('a logon that is bound to a user', () => {
  test('returns a token of the user with the logon', async () => {
    await using server = await startWithLogons();
    const token = await logInLegacy(server, 'DORA1');
    expect(readClaims(token)).toMatchObject({ sub: dora.userId, user_id: dora.userId, logon: 'DORA1' });
    expect(readRoles(token)).toEqual(readRoles(await logIn(server, { name: 'dora' })));
    expect(readRoles(token)).toEqual(expect.arrayContaining(['AUTH-BASIC', 'USER', 'PERSON']));
    const user = server.as({ token: token.accessToken });
    await expect(user.userIdentities.get({ params: { id: dora.userId } })).resolves.toMatchObject({
      legacyLogons: ['DORA1'],
    });
  });

  test('counts failures of the logon in any case, separately from its user and from a user of that name', async () => {
    await using server = await startWithLogons({}, [{ userId: 'namesake', userName: 'dora1', passwordHash }]);
    for (let count = 0; count < 10; count += 1)
      await expect(logInLegacy(server, count % 2 === 0 ? 'DORA1' : 'dora1', { secret: 'wrong' })).rejects.toMatchObject(
        {
          status: 401,
        },
      );
    const throttled = { status: 429, code: 'TOO_MANY_ATTEMPTS', retryAfter: 30 };
    await expect(logInLegacy(server, 'dora1')).rejects.toMatchObject(throttled);
    for (const name of ['dora', 'dora1']) await expect(logIn(server, { name })).resolves.toBeDefined();
    server.clock.advance(31);
    await expect(logInLegacy(server, 'dora1')).resolves.toBeDefined();
  });
});

describe('a logon that is not bound', () => {
  test('returns a token of the logon without a role of a user', async () => {
    await using server = await startWithLogons();
    const token = await logInLegacy(server, 'FREE1');
    expect(readClaims(token)).toMatchObject({ sub: 'logon:FREE1', logon: 'FREE1', client_id: appClientId });
    expect(readClaims(token)).not.toHaveProperty('user_id');
    expect(readRoles(token)).toEqual(['AUTH-BASIC', 'AUTH-IDENTIFIED', 'CLI-1STPARTY', 'CLI-AUTH-IDENTIFIED']);
  });

  test('owns nothing and cannot read users', async () => {
    await using server = await startWithLogons();
    const logon = await createLogonClient(server, 'FREE1');
    for (const id of [dora.userId, alice.userId, 'FREE1', 'logon:FREE1', appClientId])
      await expect(logon.userIdentities.get({ params: { id } }), id).rejects.toMatchObject({
        status: 404,
        code: 'USER_NOT_FOUND',
      });
    const before = await server.dump();
    const rejected = { code: 'ROLE_MISSING' };
    await expect(logon.myClientIdentities.create({ body: { appId: 'mine' } })).rejects.toMatchObject(rejected);
    await expect(logon.productAccesses.authorize({ body: { productId: 'p' } })).rejects.toMatchObject(rejected);
    await expect(logon.userIdentities.associateLegacyByEmail({ body: { logon: 'MAIL1' } })).rejects.toMatchObject(
      rejected,
    );
    expect(await server.dump()).toEqual(before);
  });

  test('counts failures like a user, also if it is unknown', async () => {
    await using server = await startWithLogons();
    for (const logon of ['FREE1', 'UNKNOWN', 'not a logon at all']) {
      for (let count = 0; count < 10; count += 1)
        await expect(logInLegacy(server, logon, { secret: 'wrong' })).rejects.toMatchObject({ status: 401 });
      await expect(logInLegacy(server, logon)).rejects.toMatchObject({ status: 429, retryAfter: 30 });
    }
  });
});

test('accepts the credentials in Authorization, with or without the scheme, and in the body, with a logon in any case', async () => {
  await using server = await startWithLogons();
  const authorization = basic('free1', logonPassword);
  for (const value of [authorization, authorization.slice('Basic '.length)])
    expect(await post(server, named, { authorization: value }, '{')).toMatchObject({ status: 201 });
  const { accessToken } = await server.as({ basic: await server.makeClient() }).clientIdentities.login();
  const bodies = { logon: 'Free1', password: logonPassword, deviceId: 'd' };
  expect(await postJson(server, named, bodies)).toMatchObject({ status: 201 });
  expect(await postJson(server, path, bodies, { authorization: `Bearer ${accessToken}` })).toMatchObject({
    status: 201,
  });
  for (const body of [{}, { logon: 'FREE1' }, { password: logonPassword }, { ...bodies, more: 1 }])
    expect(await postJson(server, named, body)).toMatchObject({ status: 400 });
});

test('returns a refresh token with remember-me only', async () => {
  await using server = await startWithLogons();
  for (const logon of ['DORA1', 'FREE1']) {
    expect(await logInLegacy(server, logon)).not.toHaveProperty('refreshToken');
    expect(await logInLegacy(server, logon, { remember: true })).toMatchObject({
      refreshToken: expect.any(String),
      expiresIn: '600',
    });
  }
});

test('renews the session of an unbound logon until the logon is bound to a user', async () => {
  await using server = await startWithLogons();
  const { refreshToken = '' } = await logInLegacy(server, 'FREE1', { remember: true });
  const renew = (token: string) =>
    postForm(server, { grant_type: 'refresh_token', client_id: appClientId, refresh_token: token });
  const renewed = await renew(refreshToken);
  expect(renewed).toMatchObject({ status: 200, json: { refresh_token: expect.any(String) } });
  const { access_token: accessToken, refresh_token: next } = renewed.json as Record<string, string>;
  expect(readClaims({ accessToken: accessToken ?? '' })).toMatchObject({ sub: 'logon:FREE1', logon: 'FREE1' });
  const as = await createSession(server, alice.userId);
  const { challengeId } = await as.userIdentities.associateLegacyByEmail({ body: { logon: 'FREE1' } });
  const token = await lastCode(server, 'free@mainframe.example');
  await as.userIdentities.completeAssociateLegacy({ body: { challengeId, token } });
  expect(await renew(next ?? '')).toMatchObject({ status: 400 });
});

/** Counts the hashes that the embedded mainframe computes from now on. */
function countHashes(server: TestServer): { count: number } {
  const counted = { count: 0 };
  const queue = createHashQueue({ concurrency: 2, maxWaiting: 400, clock: server.clock });
  const run: typeof queue.run = (work, flow) => {
    counted.count += 1;
    return queue.run(work, flow);
  };
  replaceMainframe(
    server,
    createMainframe({ ...server.appContext, passwords: createPasswords({ run }, { fast: true }) }),
  );
  return counted;
}

test('responds and works the same for every failure', async () => {
  const locked = {
    ...dora,
    userId: 'locked',
    userName: 'locked',
    userEmail: 'l@example.com',
    legacyLogons: ['LOCKED1'],
    locked: true,
  };
  await using server = await startWithLogons({}, [locked]);
  const passwordHash = await hashFast(logonPassword);
  await server.appContext.store.transaction(async (tx) => {
    await tx.logons.insert({ logon: 'LOCKED1', passwordHash });
    await tx.logons.insert({ logon: 'EMPTY1' });
  });
  const seen: object[] = [];
  for (const [name = '', secret = ''] of [
    ['UNKNOWN', logonPassword],
    ['DORA1', 'wrong'],
    ['FREE1', 'wrong'],
    ['FREE1', logonPassword.toLowerCase()],
    ['LOCKED1', logonPassword],
    ['LOCKED1', 'wrong'],
    ['EMPTY1', logonPassword],
    ['../FREE1', logonPassword],
    ['ſREE1', logonPassword],
  ]) {
    const hashes = countHashes(server);
    const { status, text, headers } = await post(server, named, { authorization: basic(name, secret) });
    seen.push({ status, text, headers, hashes: hashes.count });
  }
  expect(seen).toEqual(seen.map(() => ({ ...seen[0], hashes: 1 })));
  expect(seen[0]).toMatchObject({ status: 401, text: expect.stringContaining('CREDENTIALS_INVALID') });
  expect(await server.appContext.store.sessions.count()).toBe(0);
});

test('does not verify a password that is too long', async () => {
  await using server = await startWithLogons();
  const hashes = countHashes(server);
  await expect(logInLegacy(server, 'FREE1', { secret: 'x'.repeat(129) })).rejects.toMatchObject({ status: 401 });
  expect(hashes.count).toBe(0);
});

describe('a mainframe that does not respond', () => {
  test('results in 503, counts no failure and starts no session', async () => {
    await using server = await startWithLogons();
    const restoreMainframe = stopMainframe(server);
    for (let count = 0; count < 15; count += 1)
      await expect(logInLegacy(server, 'FREE1')).rejects.toMatchObject({ status: 503, code: 'MAINFRAME_UNAVAILABLE' });
    expect(await server.appContext.store.sessions.count()).toBe(0);
    restoreMainframe();
    await expect(logInLegacy(server, 'FREE1')).resolves.toBeDefined();
  });

  test('includes a mainframe that rejects the connection', async () => {
    await using server = await startServer({ flags: { 'mainframe-url': 'http://127.0.0.1:1' } });
    await expect(logInLegacy(server, 'FREE1')).rejects.toMatchObject({ status: 503, code: 'MAINFRAME_UNAVAILABLE' });
  });
});

describe('while the mainframe verifies the password', () => {
  const otherUser = (server: TestServer) =>
    server.appContext.store.transaction(async (tx) => {
      const [row, other] = [await tx.users.get(dora.userId), await tx.users.get(alice.userId)];
      if (!row || !other) throw new Error('expected the user and its logon to exist');
      await tx.users.replace({ ...row, legacyLogons: [] });
      await tx.users.replace({ ...other, legacyLogons: ['DORA1'] });
    });
  test.each<[string, (server: TestServer) => Promise<unknown>]>([
    ['a lock', (server) => server.admin.userIdentities.lock({ body: { userId: dora.userId } })],
    ['a removal', (server) => server.admin.userIdentities.remove({ params: { id: dora.userId } })],
    ['another owner', otherUser],
    [
      'a new password',
      (server) =>
        server.appContext.store.transaction((tx) => tx.counters.insert({ name: 'mainframe-password/DORA1', last: 1 })),
    ],
  ])('%s stops the login', async (_, change) => {
    await using server = await startWithLogons();
    afterMainframeRequest(server, 'verify', () => change(server));
    await expect(logInLegacy(server, 'DORA1')).rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });
});

test('a lock ends the session of a bound logon', async () => {
  await using server = await startWithLogons();
  const user = await createLogonClient(server, 'DORA1');
  await server.admin.userIdentities.lock({ body: { userId: dora.userId } });
  await expect(user.userIdentities.get({ params: { id: dora.userId } })).rejects.toMatchObject({
    code: 'TOKEN_INVALID',
  });
});

test('counts 100 concurrent guesses, of which ten are verified', async () => {
  await using server = await startWithLogons();
  const verified: string[] = [];
  replaceMainframe(server, {
    verify: async (_, secret) => {
      verified.push(secret);
      return false;
    },
  });
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => logInLegacy(server, 'FREE1')));
  const statuses = outcomes.map((one) => (one.status === 'rejected' ? one.reason.status : 201));
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(90);
  expect(verified).toHaveLength(10);
});

test('writes neither the password nor its hash to the log, and no password to the store', async () => {
  await using server = await startWithLogons();
  await logInLegacy(server, 'FREE1');
  expect(JSON.stringify(await server.dump()) + server.log.join('')).not.toContain(logonPassword);
});
