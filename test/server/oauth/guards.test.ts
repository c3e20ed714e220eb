/** The checks that the OAuth endpoints share with operations: Host, faults, growth limit, and equal work for unknown clients and tokens. */
import { describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { basic } from '../operations/user-identities/login-fixtures.ts';
import { createRequest, seed } from './applications.ts';
import {
  credentials,
  introspectPath,
  isAccepted,
  postBody,
  postFields,
  revokePath,
  startOAuth,
  userTokens,
} from './oauth-requests.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const paths = [revokePath, introspectPath];

describe.each(paths)('%s', (path) => {
  test('rejects unknown hosts', async () => {
    await using server = await startOAuth();
    const headers = { ...form, Host: 'evil.example', authorization: credentials.web };
    expect(await send(server, path, { method: 'POST', headers })).toMatchObject({ status: 421 });
  });

  test('returns a preferred error and an injected fault in the format of OAuth', async () => {
    await using server = await startOAuth();
    const headers = { ...form, authorization: credentials.web };
    const preferred = await postBody(server, path, 'token=x', { ...headers, prefer: 'code=429' });
    expect(preferred).toMatchObject({ status: 429, json: { error: 'temporarily_unavailable' } });
    const operation = path === revokePath ? 'oauth2.revoke' : 'oauth2.introspect';
    const fault = { operation, effect: { status: 500 }, times: 1 };
    expect(await send(server, '/_iam/faults', { method: 'POST', body: fault })).toMatchObject({ status: 201 });
    expect(await postBody(server, path, 'token=x', headers)).toMatchObject({
      status: 500,
      json: { error: 'server_error' },
      headers: { 'x-iam-fault': expect.any(String) },
    });
    expect(await postBody(server, path, 'token=x', headers)).toMatchObject({ status: 200 });
  });
});

test('the growth limit never prevents a revocation', async () => {
  await using server = await startOAuth({ flags: { 'trusted-proxies': '127.0.0.1', 'growth-limit': '1' } });
  const headers = { ...form, 'x-forwarded-for': '203.0.113.7' };
  const token = 'grant_type=password&client_id=spa&username=Alice&password=';
  const tokenPath = '/security/iam/v1/client-identities/connect/token';
  const logIn = () => postBody(server, tokenPath, `${token}${encodeURIComponent('open sesame, please')}`, headers);
  const { json } = await logIn();
  expect(await logIn()).toMatchObject({ status: 429 });
  const accessToken = String(json.access_token);
  expect(await isAccepted(server, accessToken)).toBe(true);
  expect(await postBody(server, revokePath, `client_id=spa&token=${accessToken}`, headers)).toMatchObject({
    status: 200,
  });
  expect(await isAccepted(server, accessToken)).toBe(false);
});

test.each(['/oauth2/par', '/oauth2/device_authorization'])(
  'the id of a client lifts no growth limit at %s',
  async (path) => {
    await using server = await startServer({ seed, flags: { 'trusted-proxies': '127.0.0.1', 'growth-limit': '2' } });
    const body = new URLSearchParams(createRequest({ client_id: 'tv' })).toString();
    const anyone = { ...form, 'x-forwarded-for': '203.0.113.7' };
    const statuses = [];
    for (let request = 0; request < 3; request += 1) statuses.push((await postBody(server, path, body, anyone)).status);
    expect(statuses.slice(0, -1)).not.toContain(429);
    expect(statuses.at(-1)).toBe(429);
  },
);

type Work = Record<string, number>;

/** Counts the reads and writes of a request. */
async function countWork(server: TestServer, request: () => Promise<unknown>): Promise<Work> {
  const { store } = server.appContext;
  const work: Work = {};
  const restore: (() => void)[] = [];
  const watch = (object: object, name: string, label: string) => {
    const before = Reflect.get(object, name) as (...args: unknown[]) => unknown;
    const counting = (...args: unknown[]) => {
      work[label] = (work[label] ?? 0) + 1;
      return Reflect.apply(before, object, args);
    };
    Object.defineProperty(object, name, { value: counting, configurable: true, writable: true });
    restore.push(() => Object.defineProperty(object, name, { value: before, configurable: true, writable: true }));
  };
  const { clients, users, sessions, refreshTokens, opaqueTokens, apiKeys, businesses } = store;
  const tables = { clients, users, sessions, refreshTokens, opaqueTokens, apiKeys, businesses };
  for (const [name, table] of Object.entries(tables))
    for (const call of ['get', 'getBy', 'find', 'list']) watch(table, call, `${call} ${name}`);
  watch(store, 'transaction', 'transaction');
  await request();
  for (const undo of restore) undo();
  return work;
}

describe('equal work', () => {
  test.each(paths)('at %s for an unknown client, a wrong secret and a client without a secret', async (path) => {
    await using server = await startOAuth({ flags: { 'disable-rate-limits': true } });
    const seen = [];
    for (const name of ['web', 'unknown', 'spa'])
      seen.push(await countWork(server, () => postFields(server, path, { token: 'x' }, basic(name, 'wrong'))));
    expect(Object.keys(seen[0] ?? {})).not.toEqual([]);
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
  });

  test('for a refresh token of another client and an unknown one', async () => {
    await using server = await startOAuth();
    const { refresh_token } = await userTokens(server, 'api');
    for (const path of paths) {
      const seen = [];
      for (const token of [crypto.randomUUID(), refresh_token])
        seen.push(await countWork(server, () => postFields(server, path, { token }, credentials.web)));
      expect(Object.keys(seen[0] ?? {})).toContain('get refreshTokens');
      expect([path, seen[1]]).toEqual([path, seen[0]]);
    }
  });
});
