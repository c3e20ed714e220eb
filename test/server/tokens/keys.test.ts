/**
 * Keys: every supported algorithm signs and verifies, a change of the algorithm revokes no token, and only public
 * halves are published.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { signingAlgorithms } from '../../../src/contract/signing-algorithms.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { callWithToken, login } from './forge.ts';
import { issueForClient } from './issue-token.ts';

async function keySet({ url }: TestServer): Promise<JSONWebKeySet> {
  return (await (await fetch(`${url}${servicePrefix}/keys`)).json()) as JSONWebKeySet;
}

describe.each(signingAlgorithms)('with %s', (alg) => {
  let server: TestServer;
  // RSA keys take up to a second to generate.
  beforeAll(async () => {
    server = await startServer({ flags: { 'signing-alg': alg } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test('signs tokens that it accepts and that others verify with the published key', async () => {
    const token = await login(server);
    expect(decodeProtectedHeader(token)).toEqual({ alg, kid: expect.any(String), typ: 'at+jwt' });
    expect((await callWithToken(server, token)).status).toBe(200);
    const options = { issuer: server.url, audience: server.url, typ: 'at+jwt', currentDate: server.clock.now() };
    const remote = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
    await expect(jwtVerify(token, remote, options)).resolves.toBeDefined();
    await expect(jwtVerify(token, createLocalJWKSet(await keySet(server)), options)).resolves.toBeDefined();
    const pem = await fetch(`${server.url}${servicePrefix}/keys`, { headers: { accept: 'application/x-pem-file' } });
    await expect(jwtVerify(token, createPublicKey(await pem.text()), options)).resolves.toBeDefined();
  });

  test('the key has at least 128 bits of strength, and no private part is published', async () => {
    const [key, ...others] = (await keySet(server)).keys;
    expect(others).toEqual([]);
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    if (asymmetricKeyType === 'rsa') expect(asymmetricKeyDetails?.modulusLength).toBe(3072);
    else expect(['ed25519', 'ec']).toContain(asymmetricKeyType);
    const members = ['kty', 'kid', 'alg', 'use', 'crv', 'x', 'y', 'n', 'e'];
    expect(Object.keys(key ?? {}).filter((name) => !members.includes(name))).toEqual([]);
    expect(key).toMatchObject({ alg, use: 'sig' });
  });
});

/** A store that several servers use one after the other. */
function reusable(store: Store): () => Promise<Store> {
  return async () => ({ ...store, close: async () => {} });
}

test('accepts a token from before a change of the algorithm', async () => {
  const openStore = reusable(openMemoryStore());
  const flags = { 'base-url': 'https://iam.example' };
  const old: string[] = [];
  for (const alg of ['ES256', 'EdDSA', 'PS256']) {
    await using server = await startServer({ flags: { ...flags, 'signing-alg': alg }, openStore });
    for (const token of old) expect(await server.appContext.verifier.verify(token)).toBeDefined();
    const { accessToken } = await issueForClient(server.appContext, await adminRow(server));
    expect(decodeProtectedHeader(accessToken).alg).toBe(alg);
    const keys = server.appContext.keys.publicKeys();
    expect(keys[0]).toMatchObject({ alg });
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(old.length + 1);
    old.push(accessToken);
  }
  expect(old).toHaveLength(3);
});

async function adminRow({ appContext }: TestServer) {
  const row = await appContext.store.clients.getBy('bootstrap', 'admin');
  if (!row) throw new Error('there is no administrator client');
  return row;
}

test('uses the same key after a restart with the same algorithm', async () => {
  const openStore = reusable(openMemoryStore());
  const sets: JSONWebKeySet[] = [];
  for (let start = 0; start < 2; start += 1) {
    await using server = await startServer({ openStore });
    sets.push(await keySet(server));
  }
  expect(sets[1]).toEqual(sets[0]);
});

describe('under the root of the base URL', () => {
  test('returns the same key set, with a Cache-Control that allows caching', async () => {
    await using server = await startServer();
    const response = await fetch(`${server.url}/.well-known/jwks.json`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual(await keySet(server));
  });

  test('the discovery document contains the issuer and key URL of the tokens, without a trailing slash', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await using server = await startServer({ flags: { 'base-url': `${url}/`, port: new URL(url).port } });
    const response = await fetch(`${url}/.well-known/openid-configuration`);
    const document = (await response.json()) as Record<string, unknown>;
    expect(document).toMatchObject({
      issuer: url,
      jwks_uri: `${url}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    });
    const claims = await server.appContext.verifier.verify(
      (await issueForClient(server.appContext, await adminRow(server))).accessToken,
    );
    expect(claims).toMatchObject({ iss: url, aud: url });
  });
});
