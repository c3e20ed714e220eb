import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { signingAlgorithms } from '../../../../../src/contract/signing-algorithms.ts';
import { openMemoryStore } from '../../../../../src/server/store/memory/memory-store.ts';
import type { SigningKey } from '../../../../../src/server/store/tables.ts';
import { isFullRun, rounds } from '../../../../effort.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { issueForClient } from '../../../tokens/issue-token.ts';
import { send } from '../../control-client.ts';

interface KeyRotation {
  readonly kid: string;
  readonly retired: readonly { readonly kid: string; readonly until: string }[];
}

async function rotate(server: TestServer): Promise<KeyRotation> {
  const response = await send(server, '/_iam/keys/rotate', { method: 'POST' });
  expect(response.status).toBe(200);
  return response.body as KeyRotation;
}

async function listPublishedKeys(server: TestServer): Promise<string[]> {
  const { body, headers } = await server.as().raw('GET', '/.well-known/jwks.json');
  expect(headers['cache-control']).toBe('public, max-age=300');
  const set = body as JSONWebKeySet;
  expect((await server.as().raw('GET', `${servicePrefix}/keys`)).body).toEqual(set);
  for (const key of set.keys) expect(Object.keys(key)).not.toContain('d');
  return set.keys.map(({ kid }) => String(kid));
}

async function login(server: TestServer): Promise<string> {
  return (await server.as(adminClient).clientIdentities.login()).accessToken;
}

async function statusWith(server: TestServer, token: string): Promise<number> {
  return (await server.as({ token }).raw('GET', `${servicePrefix}/groups`)).status;
}

async function readKeyOfAnotherServer(): Promise<SigningKey> {
  await using server = await startServer();
  const [key] = await server.appContext.store.signingKeys.list();
  if (!key) throw new Error('there is no key');
  return key;
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid;

// Making keys of RSA takes seconds; its algorithms share one function.
const rotated = signingAlgorithms.filter((alg) => isFullRun || !['RS512', 'PS256'].includes(alg));

describe('a rotation', () => {
  test.each(rotated)('creates a new key of %s, and tokens of the old key stay valid', async (alg) => {
    await using server = await startServer({ flags: { 'signing-alg': alg } });
    const old = await login(server);
    const { kid, retired } = await rotate(server);
    expect(retired).toEqual([{ kid: kidOf(old), until: '2026-03-01T13:01:00.000Z' }]);
    const token = await login(server);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg, kid });
    expect([await statusWith(server, old), await statusWith(server, token)]).toEqual([200, 200]);
    expect(await listPublishedKeys(server)).toEqual([kid, kidOf(old)]);
    const rows = await server.appContext.store.signingKeys.list();
    // A retired key only verifies.
    expect(rows.filter(({ privateJwk }) => 'd' in privateJwk).map((row) => row.kid)).toEqual([kid]);
    const set = createLocalJWKSet((await server.as().raw('GET', '/.well-known/jwks.json')).body as JSONWebKeySet);
    const options = { issuer: server.url, currentDate: server.clock.now() };
    for (const one of [old, token]) await expect(jwtVerify(one, set, options)).resolves.toBeDefined();
  });

  test('removes an old key when the last token that it signed has expired', async () => {
    await using server = await startServer({ flags: { 'user-token-lifetime': '7200' } });
    const { store } = server.appContext;
    const [old] = await listPublishedKeys(server);
    const { kid } = await rotate(server);
    server.clock.advance(7259);
    expect(await listPublishedKeys(server)).toEqual([kid, old]);
    server.clock.advance(1);
    expect(await listPublishedKeys(server)).toEqual([kid]);
    expect(server.appContext.keys.find(String(old))).toBeUndefined();
    await rotate(server);
    expect((await store.signingKeys.list()).map((row) => row.kid)).not.toContain(old);
  });

  test('rejects a token of a removed key, whatever expiry it contains', async () => {
    await using server = await startServer();
    const { accessToken } = await issueForClient(server.appContext, await adminRow(server));
    const claims = { ...decodeJwt(accessToken), exp: 4_000_000_000 };
    const eternal = await server.appContext.keys.current().signer.sign(claims);
    await rotate(server);
    expect(await statusWith(server, eternal)).toBe(200);
    server.clock.advance(3660);
    expect(await statusWith(server, eternal)).toBe(401);
  });

  test('keeps the private half of the current key only', async () => {
    await using server = await startServer();
    await rotate(server);
    const rows = await server.appContext.store.signingKeys.list();
    expect(rows.map((row) => [row.current, 'd' in row.privateJwk]).sort()).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test('survives a restart, which does not create another key', async () => {
    const store = openMemoryStore();
    const openStore = async () => ({ ...store, close: async () => {} });
    const first = await startServer({ openStore });
    const old = await login(first);
    const { kid } = await rotate(first);
    const token = await login(first);
    const kids = await listPublishedKeys(first);
    await first[Symbol.asyncDispose]();
    await using second = await startServer({ openStore, flags: { port: new URL(first.url).port } });
    expect(second.appContext.keys.current().kid).toBe(kid);
    expect(await listPublishedKeys(second)).toEqual(kids);
    expect([await statusWith(second, old), await statusWith(second, token)]).toEqual([200, 200]);
  });

  test('that servers of a shared store had announced takes effect when one server uses the store alone', async () => {
    const store = openMemoryStore();
    const openStore = async () => ({ ...store, close: async () => {} });
    const first = await startServer({ openStore });
    const old = await login(first);
    await first[Symbol.asyncDispose]();
    const announced = await readKeyOfAnotherServer();
    const signsFrom = Math.floor(first.clock.now().getTime() / 1000) + 10;
    await store.transaction((tx) => tx.signingKeys.insert({ ...announced, current: false, signsFrom }));
    await using second = await startServer({ openStore, flags: { port: new URL(first.url).port } });
    expect(kidOf(await login(second))).toBe(announced.kid);
    expect(await statusWith(second, old)).toBe(200);
    expect(await listPublishedKeys(second)).toEqual([announced.kid, kidOf(old)]);
    const { kid } = await rotate(second);
    second.clock.advance(3660);
    expect(await listPublishedKeys(second)).toEqual([kid]);
  });

  test('that cannot be saved changes nothing', async () => {
    await using server = await startServer();
    const before = await listPublishedKeys(server);
    server.stopWrites();
    expect(await send(server, '/_iam/keys/rotate', { method: 'POST' })).toMatchObject({ status: 503 });
    expect(await listPublishedKeys(server)).toEqual(before);
    expect(kidOf(await login(server))).toBe(before[0]);
  });
});

test('no token is rejected while keys change', async () => {
  await using server = await startServer();
  const [anybody, admin] = [server.as(), server.as(adminClient)];
  const present = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await anybody.raw('GET', `${servicePrefix}/groups`, { headers })).status;
  };
  const fresh = async () => (await admin.clientIdentities.login()).accessToken;
  const tokens = [await fresh()];
  for (let turn = 0; turn < 5; turn += 1) {
    const requests = Array.from({ length: rounds(200) }, async (_, at) => {
      const isNew = at % 2 === 0;
      const token = isNew ? await fresh() : (tokens[at % tokens.length] ?? '');
      if (isNew) tokens.push(token);
      return present(token);
    });
    const [statuses] = await Promise.all([Promise.all(requests), rotate(server)]);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  }
  expect(new Set(tokens.map(kidOf)).size).toBeGreaterThan(3);
  expect(new Set(await Promise.all(tokens.map(present)))).toEqual(new Set([200]));
});

async function adminRow({ appContext: fixture }: TestServer) {
  const row = await fixture.store.clients.getBy('bootstrap', 'admin');
  if (!row) throw new Error('there is no administrator client');
  return row;
}
