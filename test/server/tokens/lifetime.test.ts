/** A token is valid until it expires, its client is deleted or the secret of its client changes. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { bootstrap } from '../../../src/server/bootstrap.ts';
import { createVerifier } from '../../../src/server/tokens/verify.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { callWithToken, login, rejectedToken } from './forge.ts';

const rights = ['AUTH-BASIC', 'ADMIN'];

/** A token of a new client, used once so that its verification is cached. */
async function usedToken(server: TestServer, client = {}): Promise<{ clientId: string; token: string }> {
  const credentials = await server.makeClient({ authorities: rights, ...client });
  const token = await login(server, credentials);
  expect((await callWithToken(server, token)).status).toBe(200);
  return { clientId: credentials.clientId, token };
}

describe('a cached token', () => {
  test('expires after an hour', async () => {
    await using server = await startServer();
    const { token } = await usedToken(server);
    server.clock.advance(3599);
    expect((await callWithToken(server, token)).status).toBe(200);
    server.clock.advance(1);
    expect(await callWithToken(server, token)).toEqual(rejectedToken);
    server.clock.advance(1);
    expect(await callWithToken(server, token)).toEqual(rejectedToken);
  });

  test('expires after the configured lifetime', async () => {
    await using server = await startServer({ flags: { 'client-token-lifetime': '5' } });
    const { token } = await usedToken(server);
    server.clock.advance(4);
    expect((await callWithToken(server, token)).status).toBe(200);
    server.clock.advance(1);
    expect(await callWithToken(server, token)).toEqual(rejectedToken);
  });

  test('is revoked when its client is deleted', async () => {
    await using server = await startServer();
    const { clientId, token } = await usedToken(server);
    await server.admin.clientIdentities.remove({ params: { serviceAccountId: clientId } });
    expect(await callWithToken(server, token)).toEqual(rejectedToken);
  });

  test('is revoked when the secret of its client changes, also within the same second; a new one is valid immediately', async () => {
    await using server = await startServer();
    const before = await login(server);
    expect((await callWithToken(server, before)).status).toBe(200);
    const { appContext } = server;
    const clientSecret = 'another-secret-of-the-test-administrator';
    await bootstrap({ ...appContext, settings: { ...appContext.settings, adminClientSecret: clientSecret } });
    expect(await callWithToken(server, before)).toEqual(rejectedToken);
    const after = await login(server, { ...adminClient, clientSecret });
    expect((await callWithToken(server, after)).status).toBe(200);
    server.clock.advance(3599);
    expect((await callWithToken(server, after)).status).toBe(200);
  });

  test('loses a role when its client loses it, and gains none', async () => {
    await using server = await startServer();
    const { clientId, token } = await usedToken(server);
    const change = (authorities: string[]) =>
      server.appContext.store.transaction(async (tx) => {
        const row = await tx.clients.get(clientId);
        if (row) await tx.clients.replace({ ...row, authorities });
      });
    await change(['AUTH-BASIC']);
    expect(await callWithToken(server, token)).toMatchObject({ status: 403 });
    await change(['AUTH-BASIC', 'ADMIN', 'IAM_ADMIN_MAINTENANCE']);
    expect((await callWithToken(server, token)).status).toBe(200);
    const creating = server.as({ token }).groups.create({ body: { groupName: 'ops' } });
    await expect(creating).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
  });
});

test('other secrets are not accepted as access tokens', async () => {
  await using server = await startServer();
  const { apiKey } = await server.admin.apiKey.create({
    body: { appId: 'test-application', clientId: adminClient.clientId },
  });
  for (const text of [apiKey, adminClient.clientSecret, adminClient.clientId, 'null', 'undefined'])
    expect(await callWithToken(server, String(text))).toEqual(rejectedToken);
});

describe('the verification cache', () => {
  test('contains the signature only: a token is rejected after its key is deleted', async () => {
    await using server = await startServer();
    const token = await login(server);
    const { keys, clock } = server.appContext;
    const known = new Set([keys.current().kid]);
    const find = (kid: string) => (known.has(kid) ? keys.find(kid) : undefined);
    const verifier = createVerifier({ keys: { ...keys, find }, clock, issuer: server.url });
    expect(await verifier.verify(token)).toBeDefined();
    known.clear();
    expect(await verifier.verify(token)).toBeUndefined();
  });

  test('is bounded and evicts the least recently used token', async () => {
    await using server = await startServer();
    const { keys, clock } = server.appContext;
    let checked = 0;
    const find = (kid: string) => keys.find(kid);
    // A signature check requests the public key; a cached token does not.
    const counted = { ...keys, find: (kid: string) => counting(find(kid)) };
    const counting = (key: ReturnType<typeof find>) =>
      key && {
        ...key,
        get publicKey() {
          checked += 1;
          return key.publicKey;
        },
      };
    const verifier = createVerifier({ keys: counted, clock, issuer: server.url, capacity: 2 });
    const tokens = [await login(server), await login(server), await login(server)];
    const [first = '', second = '', third = ''] = tokens;
    const costs = async (token: string) => {
      const before = checked;
      expect(await verifier.verify(token)).toBeDefined();
      return checked - before;
    };
    expect([await costs(first), await costs(second), await costs(first)]).toEqual([1, 1, 0]);
    expect(await costs(third)).toBe(1);
    expect([await costs(first), await costs(third)]).toEqual([0, 0]);
    expect(await costs(second)).toBe(1);
  });

  test('does not contain rejected tokens', async () => {
    await using server = await startServer();
    const { keys, clock } = server.appContext;
    const verifier = createVerifier({ keys, clock, issuer: server.url, capacity: 1 });
    const token = await login(server);
    expect(await verifier.verify(`${token}x`)).toBeUndefined();
    expect(await verifier.verify(token)).toBeDefined();
    expect(await verifier.verify(`${token}x`)).toBeUndefined();
  });
});

test('responses with tokens have Cache-Control: no-store', async () => {
  await using server = await startServer();
  const { clientId, clientSecret } = adminClient;
  const response = await fetch(`${server.url}${servicePrefix}/client-identities/login`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
  });
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('pragma')).toBe('no-cache');
  expect(await response.json()).toEqual({
    accessToken: expect.any(String),
    tokenType: 'Bearer',
    expiresIn: '3600',
    scope: ['READ', 'WRITE'],
  });
});
