import { describe, expect, test } from 'vitest';
import { adminClient, appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { userToken } from '../../../operations/user-token.ts';
import { createValidClaims, forgeToken } from '../../../tokens/forge.ts';
import { send } from '../../control-client.ts';

async function inspect(server: TestServer, token: string): Promise<Record<string, unknown>> {
  const response = await send(server, '/_iam/tokens/inspect', { method: 'POST', body: { token } });
  expect(response.status).toBe(200);
  return response.body as Record<string, unknown>;
}

async function clientToken(server: TestServer): Promise<string> {
  return (await server.as(adminClient).clientIdentities.login()).accessToken;
}

describe('an access token', () => {
  test('of a user has claims, key, session and current roles', async () => {
    await using server = await startServer();
    const token = await userToken(server, { userId: 'u1', roles: ['ADMIN'] });
    const found = await inspect(server, token);
    expect(found).toMatchObject({
      kind: 'jwt',
      active: true,
      status: 'active',
      verified: true,
      header: { alg: 'ES256', typ: 'at+jwt' },
      claims: { sub: 'u1', user_id: 'u1', client_id: appClientId },
      key: { state: 'current', kid: server.appContext.keys.current().kid },
      session: { userId: 'u1' },
      roles: expect.arrayContaining(['ADMIN', 'CLI-1STPARTY']),
    });
    expect(found).not.toHaveProperty('reason');
    expect(Date.parse(String(found.expiresAt))).toBeGreaterThan(server.clock.now().getTime());
  });

  test('that expired is reported so, with the time', async () => {
    await using server = await startServer();
    const token = await clientToken(server);
    server.clock.advance(3600);
    const found = await inspect(server, token);
    expect(found).toMatchObject({ active: false, status: 'expired', verified: true, key: { state: 'current' } });
    expect(found.reason).toContain(String(found.expiresAt));
    expect(found).not.toHaveProperty('roles');
  });

  test('that was revoked, or whose session ended, is reported so', async () => {
    await using server = await startServer();
    const [ofClient, ofUser] = [await clientToken(server), await userToken(server, { userId: 'u1' })];
    for (const token of [ofClient, ofUser]) await send(server, '/_iam/revoke', { method: 'POST', body: { token } });
    expect(await inspect(server, ofClient)).toMatchObject({ status: 'revoked', reason: expect.any(String) });
    expect(await inspect(server, ofUser)).toMatchObject({ status: 'session-ended', reason: expect.any(String) });
  });

  test('of a locked user, of a removed client and of an expired key is reported so', async () => {
    await using server = await startServer();
    const ofUser = await userToken(server, { userId: 'u1' });
    await server.admin.userIdentities.lock({ body: { userId: 'u1', reason: 'lost' } });
    expect(await inspect(server, ofUser)).toMatchObject({ active: false, reason: expect.any(String) });
    const { clientId, clientSecret } = await server.makeClient({ clientId: 'c1' });
    const { accessToken } = await server.as({ clientId, clientSecret }).clientIdentities.login();
    await server.appContext.store.transaction((tx) => tx.clients.delete(clientId));
    expect(await inspect(server, accessToken)).toMatchObject({ status: 'rejected', verified: true });
    const eternal = await forgeToken(server, { payload: { ...createValidClaims(server), exp: 4_000_000_000 } });
    await send(server, '/_iam/keys/rotate', { method: 'POST' });
    expect(await inspect(server, eternal)).toMatchObject({ status: 'active', key: { state: 'retired' } });
    server.clock.advance(3660);
    expect(await inspect(server, eternal)).toMatchObject({ status: 'key-expired', verified: true });
  });

  test('that was modified, or signed by another key, names no session and no roles', async () => {
    await using server = await startServer();
    await using other = await startServer();
    const token = await userToken(server, { userId: 'u1' });
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
    const forged = await inspect(server, [header, changed, signature].join('.'));
    expect(forged).toMatchObject({ status: 'forged', verified: false, claims: { sub: 'root' } });
    for (const name of ['session', 'roles']) expect(forged).not.toHaveProperty(name);
    const foreign = await inspect(server, await clientToken(other));
    expect(foreign).toMatchObject({ status: 'key-unknown', verified: false });
    expect(foreign).not.toHaveProperty('key');
  });
});

describe('an opaque token', () => {
  test('for renewal is active, used or ended', async () => {
    await using server = await startServer();
    await userToken(server, { userId: 'u1' });
    const body = { userId: 'u1', clientId: appClientId };
    const session = await send(server, '/_iam/sessions', { method: 'POST', body });
    const { refreshToken = '', accessToken } = session.body as { refreshToken?: string; accessToken: string };
    expect(await inspect(server, refreshToken)).toMatchObject({
      kind: 'refresh',
      status: 'active',
      session: { userId: 'u1' },
    });
    await send(server, '/_iam/revoke', { method: 'POST', body: { token: accessToken } });
    expect(await inspect(server, refreshToken)).toMatchObject({ active: false });
  });

  const shared = sharedServer();

  test.each(['x', 'a.b.c', '...', 'e30.e30.', `${'e30.'.repeat(2)}x`, '__proto__', 'W10.W10.x'])(
    'or text that is unknown is reported so: %s',
    async (text) => {
      const server = shared();
      const before = await server.dump();
      expect(await inspect(server, text)).toMatchObject({ active: false });
      expect(await server.dump()).toEqual(before);
    },
  );
});

test('an inspected token is in neither the log nor the request log', async () => {
  await using server = await startServer();
  const token = await clientToken(server);
  await inspect(server, token);
  expect(server.log.join('\n')).not.toContain(token);
  const requests = await send(server, '/_iam/requests?limit=1000');
  expect(JSON.stringify(requests.body)).not.toContain(token);
});
