import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { appClientId, type TestServer } from '../../../harness.ts';
import { sharedServer } from '../access.ts';
import {
  afterPasswordCheck,
  alice,
  basic,
  countHashes,
  hashFast,
  logIn,
  loginEndpoints,
  password,
  post,
  postJson,
  readClaims,
  startWith,
} from './login-fixtures.ts';

const path = '/user-identities/login';
const named = `${path}?clientId=${appClientId}`;
const pair = { userName: alice.userName, password };
const authorization = basic(alice.userName, password);

describe('credentials in Authorization', () => {
  const encoded = authorization.slice('Basic '.length);
  const forms = [authorization, `basic ${encoded}`, `BASIC   ${encoded}`, encoded, ` ${encoded} `];
  const shared = sharedServer(() => startWith());
  test.each(forms)('log in as %j', async (value) => {
    const server = shared();
    const response = await post(server, named, { authorization: value });
    expect(response).toMatchObject({ status: 201, json: { tokenType: 'Bearer', scope: ['READ', 'WRITE'] } });
    expect(readClaims(response.json as { accessToken: string })).toMatchObject({
      sub: alice.userId,
      client_id: appClientId,
    });
  });

  test('make the body with its type and encoding irrelevant', async () => {
    await using server = await startWith();
    const bodies: [Record<string, string>, string][] = [
      [{}, ''],
      [{ 'content-type': 'text/plain' }, '{'],
      [{ 'content-type': 'application/json' }, '{"unknown":1,"userName":7}'],
      [{ 'content-type': 'application/json' }, JSON.stringify({ userName: 'unknown', password: 'else' })],
      [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'no gzip'],
    ];
    for (const [headers, body] of bodies)
      expect(await post(server, named, { authorization, ip: '10.0.0.1', ...headers }, body)).toMatchObject({
        status: 201,
      });
  });

  test('have the password after the first colon', async () => {
    const passwordHash = await hashFast('a:b:c:d:e');
    await using server = await startWith([{ userId: 'colon', userName: 'colon', passwordHash }]);
    await expect(logIn(server, { name: 'colon', secret: 'a:b:c:d:e' })).resolves.toBeDefined();
  });

  test.each(['Basic', 'Basic !!!', 'nothing', `Basic ${Buffer.from('no colon').toString('base64')}`, 'Digest abc'])(
    'are rejected as %j',
    async (value) => {
      const server = shared();
      expect(await post(server, named, { authorization: value })).toMatchObject({
        status: 401,
        json: [{ code: 'CREDENTIALS_INVALID' }],
      });
    },
  );
});

describe('credentials in the body', () => {
  test('are accepted with the name, the token or the key of a client', async () => {
    await using server = await startWith();
    const client = await server.makeClient({ authorities: ['AUTH-BASIC'], scope: ['READ'] });
    const { accessToken } = await server.as({ basic: client }).clientIdentities.login();
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId: client.clientId } });
    const variants: [string, Record<string, string>][] = [
      [`${path}?clientId=${client.clientId}`, {}],
      [path, { authorization: `Bearer ${accessToken}` }],
      [`${path}?clientId=${client.clientId}`, { authorization: `bearer ${accessToken}` }],
      [path, { 'x-api-key': apiKey }],
      [`${path}?clientId=${client.clientId}`, { 'x-api-key': apiKey }],
    ];
    for (const [target, headers] of variants) {
      const response = await postJson(server, target, { ...pair, deviceId: 'd', deviceVersion: 'V1' }, headers);
      expect(response).toMatchObject({ status: 201, json: { scope: ['READ'] } });
      expect(readClaims(response.json as { accessToken: string })).toMatchObject({
        sub: alice.userId,
        client_id: client.clientId,
      });
    }
  });

  test('are rejected if two clients are named', async () => {
    await using server = await startWith();
    const { accessToken } = await server.as({ basic: await server.makeClient() }).clientIdentities.login();
    const response = await postJson(server, named, pair, { authorization: `Bearer ${accessToken}` });
    expect(response).toMatchObject({ status: 400, json: [{ code: 'CREDENTIALS_AMBIGUOUS' }] });
  });
});

test.each([alice.userId, 'ALICE', 'aLiCe@Example.com', 'Alice.Smith'])(
  'accepts any login identifier of the user: %s',
  async (name) => {
    await using server = await startWith();
    expect(readClaims(await logIn(server, { name }))).toMatchObject({ sub: alice.userId });
  },
);

test('rejects an unverified e-mail address', async () => {
  await using server = await startWith();
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get(alice.userId);
    if (user) await tx.users.replace({ ...user, emailVerified: false });
  });
  await expect(logIn(server, { name: alice.userEmail })).rejects.toMatchObject({ status: 401 });
});

describe('failures', () => {
  test.each(Object.keys(loginEndpoints))('have the same response and the same cost at %s', async (endpoint) => {
    await using server = await startWith([
      { ...alice, userId: 'locked', userName: 'locked', userEmail: 'l@example.com', identities: [], locked: true },
      { userId: 'without', userName: 'without' },
    ]);
    const tries = [
      ['unknown', password],
      ['Alice', 'wrong'],
      ['locked', password],
      ['locked', 'wrong'],
      ['without', password],
    ];
    const seen: object[] = [];
    for (const [name = '', secret = ''] of tries) {
      const hashes = countHashes(server);
      const { status, text, headers } = (await loginEndpoints[endpoint]?.(server, name, secret)) ?? {};
      seen.push({ status, text, headers, hashes: hashes.count });
    }
    expect(seen).toEqual(seen.map(() => ({ ...seen[0], hashes: 1 })));
    expect(seen[0]).toMatchObject({ status: endpoint === 'connect/token' ? 400 : 401 });
    expect(seen[0]).toMatchObject({ headers: { 'cache-control': 'no-store' } });
  });

  test('does not hash a password that is too long', async () => {
    const maxPassword = '🔑'.repeat(128);
    await using server = await startWith([
      { userId: 'long', userName: 'long', passwordHash: await hashFast(maxPassword) },
    ]);
    const hashes = countHashes(server);
    await expect(logIn(server, { name: 'long', secret: maxPassword })).resolves.toBeDefined();
    for (const secret of [`${maxPassword}x`, 'x'.repeat(129), 'x'.repeat(1001), 'x'.repeat(10_000)])
      for (const name of ['Alice', 'unknown']) {
        const response = await post(server, named, { authorization: basic(name, secret) });
        expect(response).toMatchObject({ status: 401, json: [{ code: 'CREDENTIALS_INVALID' }] });
      }
    for (const body of [
      { ...pair, password: 'x'.repeat(1001) },
      { ...pair, password: 'x'.repeat(900_000) },
    ])
      expect(await postJson(server, named, body)).toMatchObject({ status: 400 });
    expect(hashes.count).toBe(1);
  });
});

test('compares passwords exactly: spaces, case and NUL', async () => {
  const secret = 'Caf\u00e9 au lait ';
  await using server = await startWith([{ userId: 'exact', userName: 'exact', passwordHash: await hashFast(secret) }]);
  const others = [secret.trim(), secret.toLowerCase(), `${secret}\0`, `${secret}\0x`, ` ${secret}`];
  for (const other of others)
    await expect(logIn(server, { name: 'exact', secret: other }), JSON.stringify(other)).rejects.toMatchObject({
      status: 401,
    });
  await expect(logIn(server, { name: 'exact', secret })).resolves.toBeDefined();
});

/** @returns the status */
const setPassword = async (server: TestServer, newPassword: string) =>
  (await server.admin.raw('PUT', `/_iam/users/${alice.userId}/password`, { body: { newPassword } })).status;

describe('a password with letters that keyboards send composed or decomposed', () => {
  // Composed from two parts, from three, of Hangul, and one that NFC decomposes.
  const letters = ['\u00e9', '\u1ec7', '\ud55c', '\u0958'];

  test.each(letters)('is accepted in each form, whatever form it was set in: %s', async (letter) => {
    const secret = `${letter} au lait`;
    await using server = await startWith();
    const forms = [secret.normalize('NFC'), secret.normalize('NFD'), secret];
    for (const newPassword of forms) {
      expect(await setPassword(server, newPassword)).toBe(204);
      for (const form of forms)
        await expect(logIn(server, { name: alice.userName, secret: form })).resolves.toBeDefined();
      await expect(logIn(server, { name: alice.userName, secret: `e${secret.slice(1)}` })).rejects.toThrow();
    }
  });

  test('is accepted as sent for a hash of before, and a failure costs one attempt', async () => {
    const secret = 'cafe\u0301 au lait';
    const passwordHash = await hashFast(secret);
    await using server = await startWith([{ userId: 'before', userName: 'before', passwordHash }]);
    await expect(logIn(server, { name: 'before', secret })).resolves.toBeDefined();
    const hashes = countHashes(server);
    const wrong = 'cafe\u0301 sans lait';
    for (const name of ['before', 'unknown'])
      for (let attempt = 1; attempt <= 10; attempt += 1) {
        hashes.count = 0;
        await expect(logIn(server, { name, secret: wrong })).rejects.toMatchObject({ status: 401 });
        expect(hashes.count).toBe(2);
      }
    await expect(logIn(server, { name: 'before', secret })).rejects.toMatchObject({ status: 429 });
  });

  test('is accepted as sent for the hash of an exporter, and then in each form', async () => {
    const secret = 'cafe\u0301 au lait';
    const salt = Buffer.from('0123456789abcdef');
    const toText = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const passwordHash = `$pbkdf2-sha256$i=1000,l=32$${toText(salt)}$${toText(pbkdf2Sync(secret, salt, 1000, 32, 'sha256'))}`;
    await using server = await startWith([{ userId: 'moved', userName: 'moved', passwordHash }]);
    const composed = { name: 'moved', secret: secret.normalize('NFC') };
    await expect(logIn(server, composed)).rejects.toMatchObject({ status: 401 });
    await expect(logIn(server, { name: 'moved', secret })).resolves.toBeDefined();
    await expect(logIn(server, composed)).resolves.toBeDefined();
  });

  test('has its limits after NFC, and at most 512 code points as sent', async () => {
    await using server = await startWith();
    const decomposed = 'o\u0302\u0323';
    expect(await setPassword(server, `${decomposed.repeat(127)}~`)).toBe(204);
    await expect(logIn(server, { name: alice.userName, secret: `${'\u1ed9'.repeat(127)}~` })).resolves.toBeDefined();
    expect(await setPassword(server, `${decomposed.repeat(128)}~`)).toBe(422);
    expect(await setPassword(server, `a${'\u0301'.repeat(512)}`)).toBe(422);
  });
});

test('distinguishes long passwords with a common prefix', async () => {
  const secret = 'x'.repeat(100);
  await using server = await startWith([{ userId: 'alike', userName: 'alike', passwordHash: await hashFast(secret) }]);
  for (const other of ['x'.repeat(72), 'x'.repeat(99), `${'x'.repeat(99)}y`])
    await expect(logIn(server, { name: 'alike', secret: other })).rejects.toMatchObject({ status: 401 });
});

describe('while the password is verified', () => {
  const { userId } = alice;
  test.each(['lock', 'removal', 'new password'])('a %s stops the login', async (event) => {
    await using server = await startWith();
    const otherHash = await hashFast('another password');
    afterPasswordCheck(server, async () => {
      if (event === 'lock') await server.admin.userIdentities.lock({ body: { userId } });
      if (event === 'removal') await server.admin.userIdentities.remove({ params: { id: userId } });
      if (event !== 'new password') return;
      await server.appContext.store.transaction(async (tx) => {
        const user = await tx.users.get(userId);
        if (user) await tx.users.replace({ ...user, passwordHash: otherHash });
      });
    });
    await expect(logIn(server)).rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });

  test('a change of the business applies to the token', async () => {
    await using server = await startWith([], { seed: { businesses: [{ businessId: 'b1', businessName: 'One' }] } });
    afterPasswordCheck(server, () =>
      server.admin.userIdentities.update({ params: { id: userId }, body: { businessId: 'b1' } }),
    );
    expect(readClaims(await logIn(server))).toMatchObject({ business_id: 'b1' });
  });
});

test('writes no passwords to the store or the log', async () => {
  await using server = await startWith();
  await logIn(server);
  await postJson(server, named, pair);
  await logIn(server, { secret: 'a wrong password' }).catch(() => {});
  const stored = JSON.stringify(await server.dump()) + server.log.join('');
  for (const secret of [password, 'a wrong password']) expect(stored).not.toContain(secret);
});
