import { describe, expect, test } from 'vitest';
import { adminClient, appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { createMemorySink } from '../../../audit/memory-sink.ts';
import { sharedServer } from '../../../operations/access.ts';
import { send } from '../../control-client.ts';

const seed = {
  users: [
    { userId: 'ann', userName: 'ann.lee', userEmail: 'ann@example.com' },
    { userId: 'bob', userName: 'bob.b', locked: true },
  ],
};

const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const admin = basic(adminClient.clientId, adminClient.clientSecret);

const signIn = (server: TestServer, body: object, headers: Record<string, string> = {}, at = '') =>
  send(server, `${at}/_iam/sessions`, { method: 'POST', headers, body });

function readClaims(response: { body: unknown }): Record<string, unknown> {
  const { accessToken } = response.body as { accessToken: string };
  return JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
}

async function statusWithToken(server: TestServer, { body }: { body: unknown }, at = ''): Promise<number> {
  const { accessToken } = body as { accessToken: string };
  const path = `${at}/security/iam/v1/groups`;
  return (await send(server, path, { headers: { Authorization: `Bearer ${accessToken}` } })).status;
}

describe('a sign-in without a password', () => {
  test('starts a session at the level, by id or by any login name', async () => {
    await using server = await startServer({ seed });
    for (const who of [{ userId: 'ann' }, { userName: 'ann.lee' }, { userName: 'ANN@example.com' }]) {
      const response = await signIn(server, { ...who, level: 'AUTH-MFA' });
      expect(response).toMatchObject({ status: 201, body: { userId: 'ann', tokenType: 'Bearer', expiresIn: '3600' } });
      expect(response.headers['cache-control']).toBe('no-store');
      expect(readClaims(response).authorities).toContain('ROLE_AUTH-MFA');
    }
    expect(readClaims(await signIn(server, { userId: 'ann' })).authorities).not.toContain('ROLE_AUTH-MFA');
    const sessions = (await send(server, '/_iam/sessions?userId=ann')).body;
    expect(sessions).toHaveLength(4);
    expect(sessions).toContainEqual(expect.objectContaining({ clientId: appClientId, level: 'AUTH-MFA' }));
  });

  test('signs in through the client, whose grants decide about the refresh token', async () => {
    await using server = await startServer({ seed });
    const renewing = await server.makeClient({ grantTypes: ['refresh_token'] });
    const plain = await server.makeClient({ grantTypes: ['password'] });
    const partner = await server.makeClient({ grantTypes: ['refresh_token'], party: '3RDPARTY' });
    const { body } = await signIn(server, { userId: 'ann', clientId: renewing.clientId });
    expect(body).toMatchObject({ refreshToken: expect.any(String) });
    const response = await signIn(server, { userId: 'ann', clientId: plain.clientId });
    expect(response.body).not.toHaveProperty('refreshToken');
    expect(readClaims(response)).toMatchObject({ client_id: plain.clientId });
    const ofPartner = await signIn(server, { userId: 'ann', clientId: partner.clientId });
    expect(ofPartner.body).not.toHaveProperty('refreshToken');
  });

  const shared = sharedServer(() => startServer({ seed }));

  test.each([
    ['an unknown user', { userId: 'unknown' }, 404, 'USER_NOT_FOUND'],
    ['a login name as id', { userId: 'ann.lee' }, 404, 'USER_NOT_FOUND'],
    ['a locked user', { userId: 'bob' }, 412, 'USER_LOCKED'],
    ['an unknown client', { userId: 'ann', clientId: 'unknown' }, 404, 'CLIENT_NOT_FOUND'],
    ['an unknown level', { userId: 'ann', level: 'MFA' }, 400, 'FIELD_VALUE'],
    ['no user', {}, 400, 'FIELD_MISSING'],
    ['a user named twice', { userId: 'ann', userName: 'ann.lee' }, 400, 'FIELD_VALUE'],
    ['an unknown field', { userId: 'ann', password: 'x' }, 400, 'FIELD_UNKNOWN'],
  ])('rejects %s and starts no session', async (_name, body, status, code) => {
    const server = shared();
    const before = await server.dump();
    expect(await signIn(server, body)).toMatchObject({ status, body: [{ code }] });
    expect(await server.dump()).toEqual(before);
  });

  test('is valid in its sandbox only', async () => {
    await using server = await startServer({ seed });
    const response = await signIn(server, { userId: 'ann' }, {}, '/s/one');
    expect(response.status).toBe(201);
    expect(await statusWithToken(server, response, '/s/one')).not.toBe(401);
    expect(await statusWithToken(server, response)).toBe(401);
    expect((await send(server, '/_iam/sessions')).body).toEqual([]);
  });

  test('is recorded in the audit log without its tokens', async () => {
    const audit = createMemorySink();
    await using server = await startServer({ seed, audit });
    const { body } = await signIn(server, { userId: 'ann' });
    const { accessToken, sessionId } = body as { accessToken: string; sessionId: string };
    const written = audit.text();
    expect(written).toContain('control.create-session');
    expect(written).toContain(sessionId);
    expect(written).not.toContain(accessToken);
  });
});

describe('on a server with remote access, a sign-in without a password', () => {
  test('is disabled unless test features are on', async () => {
    await using server = await startServer({ seed, flags: { 'allow-remote': true } });
    const before = await server.dump();
    expect(await signIn(server, { userId: 'ann' }, admin)).toMatchObject({
      status: 412,
      body: [{ code: 'TEST_FEATURES_OFF' }],
    });
    expect(await server.dump()).toEqual(before);
  });

  test('is disabled locally with test features off', async () => {
    await using server = await startServer({ seed, flags: { 'test-features': 'off' } });
    expect(await signIn(server, { userId: 'ann' })).toMatchObject({ status: 412 });
  });
});
