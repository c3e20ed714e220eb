/** Sessions: how long they last, what ends them, and refresh tokens with a single use. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeLevel } from '../../../src/server/directory/authentication-levels.ts';
import type { Session } from '../../../src/server/store/tables.ts';
import { appClientId, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import {
  alice,
  logIn,
  passwordHash,
  postJson,
  readClaims,
  startWith,
} from '../operations/user-identities/login-fixtures.ts';
import { makeFolder, openStore } from '../store/temp-store.ts';

const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;

type Tokens = { accessToken: string; refreshToken: string };

async function renew(server: TestServer, refreshToken: string | undefined): Promise<Tokens | undefined> {
  const body = { grantType: 'refresh_token', clientId: appClientId, refreshToken };
  const { status, json } = await postJson(server, '/generate-token', body);
  expect([201, 401]).toContain(status);
  return status === 201 ? (json as Tokens) : undefined;
}

const remembered = async (server: TestServer) => (await logIn(server, { remember: true })).refreshToken ?? '';

/** Whether a request with this token is accepted. */
async function isAccepted(server: TestServer, accessToken: string): Promise<boolean> {
  const reading = server.as({ token: accessToken }).userIdentities.get({ params: { id: alice.userId } });
  return reading.then(
    () => true,
    (error: { code?: string }) => {
      expect(error.code).toBe('TOKEN_INVALID');
      return false;
    },
  );
}

describe('a login', () => {
  test('lasts an hour, and issues no refresh token', async () => {
    await using server = await startWith();
    const token = await logIn(server);
    expect(token).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: '3600',
      scope: ['READ', 'WRITE'],
    });
    server.clock.advance(hours - 1);
    expect(await isAccepted(server, token.accessToken)).toBe(true);
    server.clock.advance(1);
    expect(await isAccepted(server, token.accessToken)).toBe(false);
  });

  test('with remember lasts ten minutes, and issues a refresh token', async () => {
    await using server = await startWith();
    const token = await logIn(server, { remember: true });
    expect(token.refreshToken).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(token.expiresIn).toBe('600');
    server.clock.advance(10 * minutes);
    expect(await isAccepted(server, token.accessToken)).toBe(false);
    expect(await renew(server, token.refreshToken)).toMatchObject({ expiresIn: '600' });
  });

  test('has a separate session, which the token names', async () => {
    await using server = await startWith();
    const [first, second] = [await logIn(server), await logIn(server)];
    expect(readClaims(first).sid).not.toBe(readClaims(second).sid);
    const session = await server.appContext.store.sessions.get(readClaims(first).sid ?? '');
    expect(session).toMatchObject({ userId: alice.userId, clientId: appClientId, level: 'AUTH-BASIC', smart: false });
  });

  test('deletes the ended sessions of its user', async () => {
    await using server = await startWith();
    await logIn(server);
    await remembered(server);
    server.clock.advance(90 * days);
    await logIn(server);
    expect(await server.appContext.store.sessions.count()).toBe(1);
    expect(await server.appContext.store.refreshTokens.count()).toBe(0);
  });
});

test('ended sessions of a client do not accumulate, however often it logs in', async () => {
  await using server = await startWith();
  const { store } = server.appContext;
  const client = await server.makeClient();
  const ask = () => postJson(server, '/generate-token', { grantType: 'client_credentials', ...client });
  for (let times = 0; times < 60; times += 1) await ask();
  expect(await store.sessions.count()).toBe(60);
  server.clock.advance(90 * days);
  for (let times = 0; times < 60; times += 1) await ask();
  expect(await store.sessions.count()).toBeLessThan(80);
  expect(await store.refreshTokens.count()).toBe(await store.sessions.count());
});

test('a session without a refresh token ends 12 hours after its login, with any lifetime of tokens', async () => {
  await using server = await startWith([], { flags: { 'user-token-lifetime': String(24 * hours) } });
  const { accessToken, expiresIn } = await logIn(server);
  expect(expiresIn).toBe(String(12 * hours));
  server.clock.advance(12 * hours - 1);
  expect(await isAccepted(server, accessToken)).toBe(true);
  server.clock.advance(1);
  expect(await isAccepted(server, accessToken)).toBe(false);
});

test('a second factor counts for twelve hours', () => {
  const session = { level: 'AUTH-MFA', mfaAt: 1000 } as Session;
  expect([computeLevel(session, 1000 + 12 * hours - 1), computeLevel(session, 1000 + 12 * hours)]).toEqual([
    'AUTH-MFA',
    'AUTH-BASIC',
  ]);
  expect(computeLevel({ level: 'AUTH-IDENTIFIED' } as Session, 1e10)).toBe('AUTH-IDENTIFIED');
});

describe('a refresh token', () => {
  test('is accepted once; a second use ends the whole family, including the newest token', async () => {
    await using server = await startWith();
    const chain: (Tokens | undefined)[] = [await renew(server, await remembered(server))];
    for (let turn = 0; turn < 4; turn += 1) chain.push(await renew(server, chain.at(-1)?.refreshToken));
    const newest = chain.at(-1);
    expect(await isAccepted(server, newest?.accessToken ?? '')).toBe(true);
    expect(await renew(server, chain[1]?.refreshToken)).toBeUndefined();
    expect(await isAccepted(server, newest?.accessToken ?? '')).toBe(false);
    expect(await renew(server, newest?.refreshToken)).toBeUndefined();
    expect(await server.appContext.store.refreshTokens.count()).toBe(0);
  });

  test('ends its own family only', async () => {
    await using server = await startWith();
    const [one, other] = [await remembered(server), await remembered(server)];
    await renew(server, one);
    await renew(server, one);
    expect(await renew(server, other)).toBeDefined();
  });

  test('succeeds once for 100 concurrent uses, and no family survives', async () => {
    await using server = await startWith();
    const token = await remembered(server);
    const renewals = await Promise.all(Array.from({ length: 100 }, () => renew(server, token)));
    const succeeded = renewals.filter((renewal) => renewal !== undefined);
    expect(succeeded).toHaveLength(1);
    expect(await renew(server, succeeded[0]?.refreshToken)).toBeUndefined();
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });

  test('expires after 30 days without use', async () => {
    await using server = await startWith();
    const first = await remembered(server);
    server.clock.advance(30 * days - 1);
    const second = await renew(server, first);
    server.clock.advance(30 * days);
    expect(await renew(server, second?.refreshToken)).toBeUndefined();
  });

  test('expires 90 days after the login, however often it was used', async () => {
    await using server = await startWith();
    let token = await remembered(server);
    for (let day = 0; day < 80; day += 20) {
      server.clock.advance(20 * days);
      token = (await renew(server, token))?.refreshToken ?? '';
    }
    server.clock.advance(10 * days - 5 * minutes);
    const last = await renew(server, token);
    expect(last).toMatchObject({ expiresIn: String(5 * minutes) });
    server.clock.advance(5 * minutes);
    expect(await renew(server, last?.refreshToken)).toBeUndefined();
  });

  test('and its rotation remain after a restart, and it is not in the files', async () => {
    const folder = await makeFolder();
    const clock = createFakeClock();
    const options = { clock, seed: { users: [alice] }, openStore: () => openStore(folder.directory) };
    try {
      const tokens: string[] = [];
      const run = async (use: (server: TestServer) => Promise<unknown>) => {
        await using server = await startServer(options);
        await use(server);
      };
      await run(async (server) => {
        tokens.push(await remembered(server));
        tokens.push((await renew(server, tokens[0]))?.refreshToken ?? '');
      });
      await run(async (server) => {
        tokens.push((await renew(server, tokens[1]))?.refreshToken ?? '');
      });
      expect(new Set(tokens).size).toBe(3);
      await run(async (server) => {
        expect(await renew(server, tokens[0])).toBeUndefined();
        expect(await renew(server, tokens[2])).toBeUndefined();
      });
      const names = await readdir(folder.directory, { recursive: true, withFileTypes: true });
      for (const entry of names.filter((name) => name.isFile())) {
        const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
        for (const token of tokens) expect(text).not.toContain(token);
      }
    } finally {
      await folder.remove();
    }
  });

  test('is not in the store or the log', async () => {
    await using server = await startWith();
    const first = await remembered(server);
    const second = (await renew(server, first))?.refreshToken ?? '';
    const stored = JSON.stringify(await server.dump()) + server.log.join('');
    for (const token of [first, second]) expect(stored).not.toContain(token);
  });
});

describe("a user's sessions and tokens end with the next request", () => {
  const { userId } = alice;
  const endings: Record<string, (server: TestServer) => Promise<unknown>> = {
    'a lock': (server) => server.admin.userIdentities.lock({ body: { userId } }),
    'a removal': (server) => server.admin.userIdentities.remove({ params: { id: userId } }),
  };
  test.each(Object.entries(endings))('after %s, and other users keep theirs', async (_event, end) => {
    await using server = await startWith([{ userId: 'bob', userName: 'bob', passwordHash }]);
    const plain = await logIn(server);
    const renewable = await logIn(server, { remember: true });
    const bob = await logIn(server, { name: 'bob', remember: true });
    await end(server);
    expect(await isAccepted(server, plain.accessToken)).toBe(false);
    expect(await isAccepted(server, renewable.accessToken)).toBe(false);
    expect(await renew(server, renewable.refreshToken)).toBeUndefined();
    expect(await server.appContext.store.sessions.count()).toBe(1);
    expect(await renew(server, bob.refreshToken)).toBeDefined();
  });

  test('an unlock does not restore them', async () => {
    await using server = await startWith();
    const { accessToken } = await logIn(server);
    await server.admin.userIdentities.lock({ body: { userId } });
    await server.admin.userIdentities.unlock({ body: { userId } });
    expect(await isAccepted(server, accessToken)).toBe(false);
  });
});
