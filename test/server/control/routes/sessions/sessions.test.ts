import { describe, expect, test } from 'vitest';
import { epochSeconds } from '../../../../../src/server/lib/clock.ts';
import { type SessionOptions, startSession } from '../../../../../src/server/sessions/sessions.ts';
import { appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { consentToPartner } from '../../../oauth/consent-fixture.ts';
import { sharedServer } from '../../../operations/access.ts';
import { alice } from '../../../operations/user-identities/login-fixtures.ts';
import { userToken } from '../../../operations/user-token.ts';
import { readAllPages, send } from '../../control-client.ts';

/** A session with a refresh token. */
function renewableSession({ appContext: fixture }: TestServer, userId: string, more: Partial<SessionOptions> = {}) {
  const start = {
    client: { clientId: appClientId, party: '1STPARTY' },
    userId,
    level: 'AUTH-BASIC',
    remember: true,
    renewable: true,
    ...more,
  } as const;
  return fixture.store.transaction((tx) => startSession(tx, start, fixture));
}

const list = async (server: TestServer, query = '') =>
  (await send(server, `/_iam/sessions${query}`)).body as Record<string, unknown>[];
const end = (server: TestServer, query: string) => send(server, `/_iam/sessions${query}`, { method: 'DELETE' });

describe('sessions', () => {
  test('contain nothing of their tokens', async () => {
    await using server = await startServer();
    const { appContext: fixture } = server;
    const device = {
      deviceKey: 'k1',
      userId: 'u1',
      deviceId: 'd1',
      deviceName: 'Phone',
      tokenHash: 'hash-of-device',
      createdAt: '',
    };
    await fixture.store.transaction((tx) => tx.devices.insert(device));
    const { session, refreshToken } = await renewableSession(server, 'u1', { device });
    const sessions = await list(server);
    expect(sessions).toEqual([
      {
        sessionId: session.sessionId,
        userId: 'u1',
        clientId: appClientId,
        clientName: 'iam-app',
        kind: 'direct',
        level: 'AUTH-BASIC',
        smart: false,
        remember: true,
        device: { deviceId: 'd1', deviceName: 'Phone' },
        startedAt: '2026-03-01T12:00:00.000Z',
        endsAt: '2026-05-30T12:00:00.000Z',
        renewable: true,
      },
    ]);
    expect(JSON.stringify(sessions)).not.toMatch(new RegExp(`${refreshToken}|sha256|hash|k1`));
  });

  test('have their current level, and are renewable while their refresh token is valid', async () => {
    await using server = await startServer();
    await userToken(server, { userId: 'u1', level: 'AUTH-MFA' });
    await renewableSession(server, 'u2');
    expect(await list(server, '?userId=u1')).toMatchObject([{ level: 'AUTH-MFA', renewable: false }]);
    server.clock.advance(12 * 3600);
    expect(await list(server, '?userId=u1')).toEqual([]);
    expect(await list(server)).toMatchObject([{ userId: 'u2', renewable: true }]);
    server.clock.advance(30 * 24 * 3600);
    expect(await list(server)).toMatchObject([{ userId: 'u2', renewable: false }]);
  });

  test('are sorted by their times', async () => {
    await using server = await startServer();
    for (const userId of ['u1', 'u2', 'u3']) {
      await renewableSession(server, userId);
      server.clock.advance(60);
    }
    const users = async (query: string) => (await list(server, query)).map(({ userId }) => userId);
    expect(await users('?sort=-startedAt')).toEqual(['u3', 'u2', 'u1']);
    expect(await users('?sort=endsAt')).toEqual(['u1', 'u2', 'u3']);
  });

  test('are found by user and by client, page by page', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient();
    const client = { clientId, party: '1STPARTY' } as const;
    for (let at = 0; at < 3; at += 1) await renewableSession(server, 'u1');
    await renewableSession(server, 'u1', { client });
    await renewableSession(server, 'u2', { client });
    const count = async (query: string) => (await readAllPages(server, `/_iam/sessions${query}`)).items.length;
    expect(await Promise.all(['?limit=2', '?userId=u1&limit=1', `?clientId=${clientId}`].map(count))).toEqual([
      5, 4, 2,
    ]);
    expect(await count(`?clientId=${clientId}&userId=u1&limit=1`)).toBe(1);
    expect(await count('?userId=unknown')).toBe(0);
  });
});

describe('ending sessions', () => {
  test('ends one by its id, and no other', async () => {
    await using server = await startServer();
    const [token, other] = [await userToken(server, { userId: 'u1' }), await userToken(server, { userId: 'u2' })];
    const [{ sessionId } = {}] = await list(server, '?userId=u1');
    expect(await end(server, `?sessionId=${sessionId}`)).toMatchObject({ status: 200, body: { ended: 1 } });
    expect(await list(server)).toMatchObject([{ userId: 'u2' }]);
    await expect(server.as({ token }).groups.list()).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    await expect(server.as({ token: other }).groups.list()).rejects.toMatchObject({ code: 'ROLE_MISSING' });
    const again = await end(server, `?sessionId=${sessionId}`);
    expect(again).toMatchObject({ status: 404, body: [{ code: 'SESSION_NOT_FOUND' }] });
  });

  test('ends that of a browser with those of the applications that it led to, and counts both', async () => {
    await using server = await startServer({ seed: { users: [alice] } });
    await (await consentToPartner(server))();
    const kinds = (await list(server)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['application', 'browser']);
    const browser = (await list(server)).find(({ kind }) => kind === 'browser');
    expect(await end(server, `?sessionId=${browser?.sessionId}`)).toMatchObject({
      body: { ended: 2, applications: 1 },
    });
    expect(await list(server)).toEqual([]);
    const [event] = (await send(server, '/_iam/audit?changed=true')).body as { objects: unknown[] }[];
    expect(event?.objects).toEqual([{ entity: 'session', id: browser?.sessionId }]);
  });

  test('ends all sessions of a user, with their refresh tokens', async () => {
    await using server = await startServer();
    await renewableSession(server, 'u1');
    await renewableSession(server, 'u1');
    await renewableSession(server, 'u2');
    expect(await end(server, '?userId=u1')).toMatchObject({ status: 200, body: { ended: 2 } });
    expect(await server.appContext.store.refreshTokens.count()).toBe(1);
    expect(await end(server, '?userId=u1')).toMatchObject({ status: 200, body: { ended: 0 } });
  });

  test('ends all sessions through a client', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient();
    const client = { clientId, party: '1STPARTY' } as const;
    await renewableSession(server, 'u1', { client });
    await renewableSession(server, 'u2');
    expect(await end(server, `?clientId=${clientId}`)).toMatchObject({ body: { ended: 1 } });
    expect(await list(server)).toMatchObject([{ userId: 'u2' }]);
  });

  test('does not count expired sessions, and reports them as unknown', async () => {
    await using server = await startServer();
    await userToken(server, { userId: 'u1' });
    const [{ sessionId } = {}] = await list(server);
    server.clock.advance(12 * 3600);
    expect((await server.appContext.store.sessions.get(String(sessionId)))?.endsAt).toBe(epochSeconds(server.clock));
    expect(await end(server, `?sessionId=${sessionId}`)).toMatchObject({ status: 404 });
    expect(await end(server, '?userId=u1')).toMatchObject({ body: { ended: 0 } });
  });

  const shared = sharedServer();

  test.each([
    ['', 'FIELD_MISSING'],
    ['?userId=u1&clientId=test-app', 'FIELD_VALUE'],
    ['?userId=u1&sessionId=x', 'FIELD_VALUE'],
    ['?userId=', 'FIELD_VALUE'],
    ['?userId=u1&userId=u2', 'QUERY_REPEATED'],
  ])('rejects %j and ends nothing', async (query, code) => {
    const server = shared();
    await renewableSession(server, 'u1');
    const before = await server.dump();
    expect(await end(server, query)).toMatchObject({ status: 400, body: [{ code }] });
    expect(await server.dump()).toEqual(before);
  });

  test('counts each session once, even for concurrent requests', async () => {
    await using server = await startServer();
    for (let at = 0; at < 5; at += 1) await renewableSession(server, 'u1');
    const responses = await Promise.all(Array.from({ length: 100 }, () => end(server, '?userId=u1')));
    expect(responses.reduce((sum, { body }) => sum + (body as { ended: number }).ended, 0)).toBe(5);
  });
});
