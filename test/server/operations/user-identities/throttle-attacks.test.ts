/** Attacks with failed logins: locking an owner out, spending budgets, flushing throttles and discovering users. */
import { describe, expect, test } from 'vitest';
import { foldIdentifier } from '../../../../src/lib/fold-identifier.ts';
import { appClientId, startServer, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { audience, entityId, samlResponse, signing } from '../../federation/saml-responses.ts';
import { lastCode } from '../otp-inbox.ts';
import { newPassword } from './flows.ts';
import {
  type ApiResponse,
  alice,
  password,
  passwordHash,
  postJson,
  replacePasswords,
  startWith,
} from './login-fixtures.ts';
import { dora, logonPassword, mobiles, replaceMainframe, startWithLogons } from './logon-fixtures.ts';
import { associate, forwardedFrom, type LoginFrom, logInFrom, tokenFrom, withProxy } from './sources.ts';

const [home, office, stranger] = ['192.0.2.1', '192.0.2.2', '203.0.113.66'];
const named = `clientId=${appClientId}`;
const throttled = { status: 429, json: [{ code: 'TOO_MANY_ATTEMPTS' }] };

/** Carol has no password, Bob is locked. Passwords are compared without hashing, which these tests do not cover. */
async function start(options: TestServerOptions = {}): Promise<TestServer & { readonly verified: { count: number } }> {
  const others = [
    { userId: 'carol-id', userName: 'carol' },
    { userId: 'bob-id', userName: 'bob', passwordHash, locked: true },
  ];
  const server = await startWith(others, withProxy(options));
  const verified = { count: 0 };
  replacePasswords(server, {
    matches: async (secret, hash) => {
      verified.count += 1;
      return secret === password && hash !== undefined;
    },
  });
  return Object.assign(server, { verified });
}

async function guess(server: TestServer, times: number, address: string, login: LoginFrom = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1)
    statuses.push((await logInFrom(server, address, { secret: 'wrong', ...login })).status);
  return statuses;
}

/** Counts a failure as a request with a wrong password does, without the request. */
async function countFailure({ appContext }: TestServer, address: string, name: string): Promise<void> {
  const attempt = {
    name: foldIdentifier(name),
    caller: address,
    isLoopback: address.startsWith('127.'),
    isKnown: false,
  };
  await appContext.throttles.login.attempt(attempt, async () => undefined);
}

/** Fails ten times from each of ten sources; the last time with a request. */
async function spendBudget(server: TestServer, name: string = alice.userName): Promise<void> {
  for (let failure = 1; failure < 100; failure += 1)
    await countFailure(server, `198.51.100.${Math.floor(failure / 10)}`, name);
  expect(await guess(server, 1, '198.51.100.0', { name })).toEqual([401]);
}

async function deviceFrom(server: TestServer, address: string): Promise<string> {
  return associate(server, { accessToken: await tokenFrom(server, address), address });
}

async function resetFrom(server: TestServer, address: string): Promise<ApiResponse> {
  const userName = alice.userName;
  await postJson(server, `/user-identities/retrieve-identity?${named}`, { userName }, forwardedFrom(address));
  const validationCode = await lastCode(server, alice.userEmail);
  const body = { newPassword, validationCode, username: userName };
  return postJson(server, `/user-identities/reset-password?${named}`, body, forwardedFrom(address));
}

describe('an attacker who fails ten times', () => {
  test('is throttled and does not lock the owner out', async () => {
    await using server = await start();
    await guess(server, 10, stranger);
    expect(await logInFrom(server, stranger)).toMatchObject({ ...throttled, headers: { 'retry-after': '30' } });
    expect(await logInFrom(server, home)).toMatchObject({ status: 201 });
    expect(await logInFrom(server, stranger)).toMatchObject(throttled);
  });

  test('on this machine does not throttle other local addresses', async () => {
    await using server = await start();
    await guess(server, 10, '127.0.0.2');
    expect((await logInFrom(server, '127.0.0.2')).status).toBe(429);
    expect((await logInFrom(server, '127.0.0.3')).status).toBe(201);
  });

  test('in one IPv6 network counts as one source', async () => {
    await using server = await start();
    for (let host = 1; host <= 10; host += 1) await guess(server, 1, `2001:db8:1:2::${host}`);
    expect((await logInFrom(server, '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await logInFrom(server, '2001:db8:1:3::1')).status).toBe(201);
  });

  test('cannot forge other sources', async () => {
    await using server = await startWith();
    for (let count = 0; count < 10; count += 1) {
      const headers = {
        ...forwardedFrom(`192.0.2.${count}`),
        ip: `192.0.2.${count}`,
        forwarded: `for=192.0.2.${count}`,
      };
      await logInFrom(server, home, { secret: 'wrong', headers });
    }
    expect((await logInFrom(server, office)).status).toBe(429);
  });

  test('receives an error that names the setting, which disables throttling', async () => {
    await using server = await start();
    await using free = await start({ flags: { 'disable-rate-limits': true } });
    await guess(server, 10, stranger);
    expect((await logInFrom(server, stranger)).text).toContain('--disable-rate-limits');
    expect(await guess(free, 150, stranger)).toEqual(Array(150).fill(401));
    expect((await logInFrom(free, stranger)).status).toBe(201);
  });
});

describe('attackers who spend the budget of a name', () => {
  test('block unknown sources with any password, but not the known sources of the owner', async () => {
    await using server = await start();
    await logInFrom(server, home);
    await spendBudget(server);
    const verified = server.verified.count;
    expect(await logInFrom(server, office)).toMatchObject({ ...throttled, headers: { 'retry-after': '900' } });
    expect(server.verified.count).toBe(verified);
    expect((await logInFrom(server, home)).status).toBe(201);
    // That login restores the budget.
    expect((await logInFrom(server, office)).status).toBe(201);
  });

  test('do not block a known device at any address; a device id alone does not identify it', async () => {
    await using server = await start();
    const deviceTokenId = await deviceFrom(server, home);
    await spendBudget(server);
    const body = { deviceId: 'phone' };
    const path = `/user-identities/login?${named}`;
    const { authorization } = { authorization: `Basic ${btoa(`${alice.userName}:${password}`)}` };
    expect(await postJson(server, path, body, { ...forwardedFrom(stranger), authorization })).toMatchObject(throttled);
    expect(await logInFrom(server, stranger, { deviceTokenId: 'forged' })).toMatchObject(throttled);
    expect((await logInFrom(server, stranger, { deviceTokenId })).status).toBe(201);
  });

  test('gain no attempts through devices that a stolen session associates one after the other', async () => {
    await using server = await start();
    const accessToken = await tokenFrom(server, stranger);
    await spendBudget(server);
    let guesses = 0;
    for (let device = 0; device < 30; device += 1) {
      const deviceTokenId = await associate(server, { accessToken, address: stranger, deviceId: `device ${device}` });
      guesses += (await guess(server, 1, '203.0.113.66', { deviceTokenId })).filter((status) => status === 401).length;
    }
    expect(guesses).toBe(5);
  });

  test('are not helped by a device of another user', async () => {
    await using server = await start();
    const deviceTokenId = await deviceFrom(server, home);
    await spendBudget(server, 'unknown');
    await spendBudget(server, 'carol');
    for (const name of ['unknown', 'carol'])
      expect(await logInFrom(server, stranger, { name, deviceTokenId })).toMatchObject(throttled);
  });

  test('do not block recovery, which clears the throttle from any source', async () => {
    await using server = await start();
    await spendBudget(server);
    await guess(server, 1, home);
    expect(await logInFrom(server, home)).toMatchObject(throttled);
    expect(await resetFrom(server, office)).toMatchObject({ status: 201 });
    replacePasswords(server, { matches: async (secret) => secret === newPassword });
    for (const address of [home, office])
      expect(await logInFrom(server, address, { secret: newPassword })).toMatchObject({ status: 201 });
  });

  test('do not block other names of the user, which would reveal that they belong together', async () => {
    await using server = await start();
    await spendBudget(server);
    for (const name of [alice.userEmail, alice.userId, 'alice.smith'])
      expect((await logInFrom(server, home, { name, secret: 'wrong' })).status).toBe(401);
  });

  test('allow one attempt every 15 minutes', async () => {
    await using server = await start();
    await spendBudget(server);
    server.clock.advance(15 * 60);
    expect(await guess(server, 2, stranger)).toEqual([401, 429]);
    server.clock.advance(15 * 60);
    expect((await logInFrom(server, office)).status).toBe(201);
  });

  test.each([
    ['an unlock', (server: TestServer) => server.admin.userIdentities.unlock({ body: { userId: alice.userId } })],
    ['a reset of the state', ({ appContext }: TestServer) => appContext.state.reset('seed')],
    [
      'a restored snapshot',
      async ({ appContext }: TestServer) => {
        await appContext.state.saveSnapshot('before', true);
        await appContext.state.restoreSnapshot('before');
      },
    ],
    [
      'an import',
      async ({ appContext: { state } }: TestServer) => {
        const text = Buffer.concat([...(await state.export())]).toString();
        await state.import(JSON.parse(text), true);
      },
    ],
  ])('are cleared after %s', async (_, clear) => {
    await using server = await start();
    await spendBudget(server);
    await guess(server, 10, '198.51.100.99', { name: 'alice.smith' });
    await clear(server);
    expect((await logInFrom(server, stranger)).status).toBe(201);
    expect((await logInFrom(server, '198.51.100.99', { name: 'alice.smith' })).status).toBe(201);
  });

  test('do not restore it with the correct password of a locked user, since that login fails', async () => {
    await using server = await start();
    await spendBudget(server, 'bob');
    server.clock.advance(15 * 60);
    expect((await logInFrom(server, home, { name: 'bob' })).status).toBe(401);
    expect(await guess(server, 2, stranger, { name: 'bob' })).toEqual([429, 429]);
  });
});

test('a login with another authentication method restores the budget', async () => {
  const provider = { kind: 'saml' as const, name: 'idp', entityId, certificates: [signing.pem], audience };
  const providers = [{ ...provider, emailDomains: ['example.com'] }];
  await using server = await startServer(withProxy({ seed: { users: [alice], providers } }));
  replacePasswords(server, { matches: async () => false });
  await spendBudget(server);
  expect(await logInFrom(server, stranger)).toMatchObject(throttled);
  const body = { samlResponse: samlResponse(server, { nameId: 'new', attributes: { email: [alice.userEmail] } }) };
  const login = await postJson(server, `/user-identities/renew-app-token?${named}`, body, forwardedFrom(home));
  expect(login).toMatchObject({ status: 201 });
  expect((await logInFrom(server, stranger)).status).toBe(401);
});

describe('failures reveal nothing', () => {
  test('the correct password of a locked user counts as a wrong one and clears nothing', async () => {
    await using server = await start();
    const statuses = await guess(server, 9, stranger, { name: 'bob' });
    statuses.push((await logInFrom(server, stranger, { name: 'bob' })).status);
    statuses.push(...(await guess(server, 1, stranger, { name: 'bob' })));
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  test('five failures for each of two names of one user count like five for each of two users', async () => {
    await using server = await start();
    for (const names of [
      ['alice', 'alice@example.com'],
      ['alice', 'carol'],
      ['unknown', 'no-one'],
    ]) {
      const statuses: number[] = [];
      for (const name of names) statuses.push(...(await guess(server, 5, stranger, { name })));
      for (const name of names) statuses.push(...(await guess(server, 4, stranger, { name })));
      expect(statuses).toEqual(Array(18).fill(401));
      server.clock.advance(31 * 60);
    }
  });

  test.each([
    ['ten failures from one source', (server: TestServer, name: string) => guess(server, 10, stranger, { name })],
    ['failures of the whole budget', (server: TestServer, name: string) => spendBudget(server, name)],
  ])(
    'after %s active, locked, passwordless and unknown users have the same response, without a hash',
    async (_, fail) => {
      await using server = await start();
      const responses: ApiResponse[] = [];
      const { count } = server.verified;
      const hashes: number[] = [];
      for (const name of ['alice', 'bob', 'carol', 'unknown']) {
        await fail(server, name);
        hashes.push(server.verified.count);
        responses.push(
          await logInFrom(server, stranger, { name }),
          await logInFrom(server, stranger, { name, secret: '' }),
        );
        hashes.push(server.verified.count);
      }
      expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
      expect(responses[0]).toMatchObject(throttled);
      const each = (hashes[0] ?? 0) - count;
      expect(hashes).toEqual([1, 1, 2, 2, 3, 3, 4, 4].map((times) => count + times * each));
    },
  );

  test('different spellings of one name count as one name', async () => {
    await using server = await startWith([{ userId: 'zoe', userName: 'Zo\u00eb', passwordHash }], withProxy());
    const names = ['zo\u00eb', 'ZO\u00cb', 'Zoe\u0308', 'zOE\u0308'];
    for (let count = 0; count < 10; count += 1) await guess(server, 1, stranger, { name: names[count % 4] ?? '' });
    for (const name of names) expect((await logInFrom(server, stranger, { name })).status).toBe(429);
  });
});

describe('a source that fails for many names', () => {
  test('is rejected for new names after 1,000, except local addresses and known users', async () => {
    await using server = await start();
    await logInFrom(server, stranger);
    const failMany = async (address: string) => {
      for (let at = 0; at < 999; at += 1) await countFailure(server, address, `name ${at}`);
      expect(await guess(server, 1, address, { name: 'name 999' })).toEqual([401]);
    };
    await failMany(stranger);
    await failMany('127.0.0.9');
    expect(await guess(server, 1, stranger, { name: 'new' })).toEqual([429]);
    expect(await guess(server, 1, stranger, { name: 'name 7' })).toEqual([401]);
    expect((await logInFrom(server, stranger)).status).toBe(201);
    expect(await guess(server, 1, '127.0.0.9', { name: 'new' })).toEqual([401]);
  });
});

describe('a mainframe logon', () => {
  const loginLegacy = (server: TestServer, address: string, secret = logonPassword, logon = 'DORA1') =>
    postJson(server, `/user-identities/login-legacy?${named}`, { logon, password: secret }, forwardedFrom(address));

  async function spend(server: TestServer, logon: string) {
    for (let failure = 0; failure < 100; failure += 1)
      await loginLegacy(server, `198.51.100.${Math.floor(failure / 10)}`, 'wrong', logon);
  }

  test('over its budget accepts the known sources of its user, and a recovery clears the budget', async () => {
    await using server = await startWithLogons(withProxy());
    // A mainframe that verifies without hashing.
    const right = [logonPassword, 'NEW#PW1'];
    replaceMainframe(server, { verify: async (logon, secret) => logon !== 'NONE1' && right.includes(secret) });
    await logInFrom(server, home, { name: dora.userName });
    await spend(server, 'DORA1');
    expect(await loginLegacy(server, stranger)).toMatchObject(throttled);
    expect(await loginLegacy(server, home)).toMatchObject({ status: 201 });
    await spend(server, 'FREE1');
    const unknown = await loginLegacy(server, stranger, 'wrong', 'FREE1');
    await spend(server, 'NONE1');
    expect(await loginLegacy(server, stranger, 'wrong', 'NONE1')).toEqual(unknown);
    expect(unknown).toMatchObject(throttled);
    const { hash } = await server
      .as()
      .userIdentities.retrieveLegacy({ query: { clientId: appClientId }, body: { logon: 'FREE1' } });
    const reset = { logon: 'FREE1', hash, token: await lastCode(server, mobiles.FREE1), newPassword: 'NEW#PW1' };
    const response = await postJson(
      server,
      `/user-identities/reset-legacy-password?${named}`,
      reset,
      forwardedFrom(office),
    );
    expect(response).toMatchObject({ status: 200 });
    expect(await loginLegacy(server, stranger, 'NEW#PW1', 'FREE1')).toMatchObject({ status: 201 });
  });
});
