/** Refresh tokens in every operation that accepts them: single use, expiry, restarts, and no occurrence in files. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generateSecret, systemRandom } from '../../../src/server/lib/random.ts';
import { rounds } from '../../effort.ts';
import { appClientId, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { alice, postForm, postJson, startWith } from '../operations/user-identities/login-fixtures.ts';
import { rememberMe, toRememberMeInput } from '../operations/user-identities/remember-me-fixtures.ts';
import {
  associate,
  createTokens,
  days,
  findSession,
  minutes,
  renew,
  type Tokens,
} from '../operations/user-identities/session-fixtures.ts';
import { makeFolder, openStore } from '../store/temp-store.ts';

/** Renews by the other operations, which accept refresh tokens of the same kind. */
const otherEndpoints = [
  (server: TestServer, refreshToken: string) =>
    postJson(server, '/generate-token', { grantType: 'refresh_token', clientId: appClientId, refreshToken }),
  (server: TestServer, refreshToken: string) =>
    postForm(server, { grant_type: 'refresh_token', client_id: appClientId, refresh_token: refreshToken }),
];

test('detects a second use in every operation', async () => {
  await using server = await startWith();
  for (const endpoint of otherEndpoints) {
    const first = await createTokens(server);
    const second = await renew(server, first.refreshToken);
    expect((await endpoint(server, first.refreshToken)).status).toBeGreaterThanOrEqual(400);
    expect(await renew(server, second?.refreshToken)).toBeUndefined();
    expect(await findSession(server, first)).toBeUndefined();
  }
});

test('a second use in a chain of five ends the fifth', async () => {
  await using server = await startWith();
  const chain: (Tokens | undefined)[] = [await createTokens(server)];
  for (let turn = 0; turn < 4; turn += 1) chain.push(await renew(server, chain.at(-1)?.refreshToken));
  expect(await renew(server, chain[1]?.refreshToken)).toBeUndefined();
  expect(await renew(server, chain[4]?.refreshToken)).toBeUndefined();
  const newest = server.as({ token: chain[4]?.accessToken ?? '' }).userIdentities;
  await expect(newest.renovateToken()).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
});

describe('a session ends', () => {
  test('after 30 days without a renewal, to the second', async () => {
    await using server = await startWith();
    const first = await createTokens(server);
    server.clock.advance(30 * days - 1);
    const second = await renew(server, first.refreshToken);
    server.clock.advance(30 * days - 1);
    const third = await renew(server, second?.refreshToken);
    server.clock.advance(30 * days);
    expect(third).toBeDefined();
    expect(await renew(server, third?.refreshToken)).toBeUndefined();
  });

  test('after 90 days, to the second, however often any operation renews it', async () => {
    await using server = await startWith();
    let token: Tokens | undefined = await createTokens(server);
    for (let day = 0; day < 80; day += 1) {
      server.clock.advance(days);
      token = await renew(server, token?.refreshToken);
    }
    const deviceTokenId = await associate(server, token ?? { accessToken: '' });
    const credentials = { userName: alice.userName, deviceTokenId };
    for (let day = 80; day < 89; day += 1) {
      server.clock.advance(days);
      token = await rememberMe(server, { ...credentials, refreshToken: token?.refreshToken });
    }
    server.clock.advance(days - 5 * minutes);
    const last = await rememberMe(server, { ...credentials, refreshToken: token?.refreshToken });
    expect(last).toMatchObject({ expiresIn: String(5 * minutes) });
    server.clock.advance(5 * minutes);
    expect(await rememberMe(server, { ...credentials, refreshToken: last?.refreshToken })).toBeUndefined();
  });
});

describe('after a restart', () => {
  async function overRestarts(
    use: (run: (part: (server: TestServer) => Promise<unknown>) => Promise<void>) => Promise<string[]>,
  ) {
    const folder = await makeFolder();
    const options = {
      clock: createFakeClock(),
      seed: { users: [alice] },
      openStore: () => openStore(folder.directory),
    };
    try {
      const secrets = await use(async (part) => {
        await using server = await startServer(options);
        await part(server);
      });
      const entries = await readdir(folder.directory, { recursive: true, withFileTypes: true });
      for (const entry of entries.filter((name) => name.isFile())) {
        const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
        for (const secret of secrets) expect(text).not.toContain(secret);
      }
    } finally {
      await folder.remove();
    }
  }

  test('detects a second use: a caller that never received the response has to log in again', async () => {
    await overRestarts(async (run) => {
      const seen: string[] = [];
      await run(async (server) => {
        seen.push((await createTokens(server)).refreshToken);
        seen.push((await renew(server, seen[0]))?.refreshToken ?? '');
      });
      await run(async (server) => {
        expect(await renew(server, seen[0])).toBeUndefined();
        expect(await renew(server, seen[1])).toBeUndefined();
        expect(await server.appContext.store.sessions.count()).toBe(0);
      });
      return seen;
    });
  });

  test('devices, their bindings and single-use values remain, and none of their secrets is in the files', async () => {
    await overRestarts(async (run) => {
      const credentials = { userName: alice.userName, refreshToken: '', deviceTokenId: '', param: '' };
      const seen: string[] = [];
      await run(async (server) => {
        const token = await createTokens(server);
        credentials.refreshToken = token.refreshToken;
        credentials.deviceTokenId = await associate(server, token);
        const caller = server.as({ token: token.accessToken }).userIdentities;
        credentials.param = (await caller.generateParam({ body: {} })).param;
        seen.push(credentials.refreshToken, credentials.deviceTokenId, credentials.param);
      });
      const redeem = (server: TestServer) =>
        postJson(
          server,
          `/user-identities/auth-legacy-by-param?clientId=${appClientId}`,
          {},
          { param: credentials.param },
        );
      await run(async (server) => {
        expect(await renew(server, credentials.refreshToken)).toBeUndefined();
        expect(await redeem(server)).toMatchObject({ status: 200 });
        const next = await rememberMe(server, toRememberMeInput(credentials));
        seen.push(next?.refreshToken ?? '');
      });
      await run(async (server) => {
        expect(await redeem(server)).toMatchObject({ status: 401 });
        expect(await rememberMe(server, { ...toRememberMeInput(credentials), refreshToken: seen[3] })).toBeDefined();
      });
      expect(new Set(seen).size).toBe(4);
      return seen;
    });
  });
});

test('secrets have 256 bits, and no two are equal', () => {
  const secrets = Array.from({ length: rounds(100_000) }, () => generateSecret(systemRandom));
  expect(new Set(secrets).size).toBe(secrets.length);
  expect(Buffer.from(secrets[0] ?? '', 'base64url')).toHaveLength(32);
});
