/** Creating users and setting passwords as an administrator, without codes. */
import { describe, expect, test } from 'vitest';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import { userToken } from '../../operations/user-token.ts';
import { send } from '../control-client.ts';

const password = 'correct horse battery staple';
const create = (server: TestServer, body: object) => send(server, '/_iam/users', { method: 'POST', body });
const setPassword = (server: TestServer, id: string, newPassword: unknown) =>
  send(server, `/_iam/users/${id}/password`, { method: 'PUT', body: { newPassword } });

async function canLogIn(server: TestServer, username: string, secret = password): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
  const path = `/security/iam/v1/user-identities/login?clientId=${appClientId}`;
  const { status } = await send(server, path, { method: 'POST', headers: { authorization } });
  return status === 201;
}

describe('a new user', () => {
  test('has no session, and logs in with its password by name, id and verified address', async () => {
    await using server = await startServer();
    const body = { userId: 'ann', userName: 'ann.lee', userEmail: 'ann@example.com', verified: true, password };
    expect(await create(server, body)).toMatchObject({ status: 201, body: { userId: 'ann' } });
    expect(await server.appContext.store.sessions.list()).toEqual([]);
    for (const name of ['ann', 'ANN.lee', 'ann@example.com']) expect(await canLogIn(server, name)).toBe(true);
    const [message] = (await server.appContext.store.messages.list()).filter(({ to }) => to === 'ann@example.com');
    expect(message).toBeUndefined();
  });

  test('has unverified contacts and no password by default', async () => {
    await using server = await startServer();
    const { body } = await create(server, { userName: 'bob', userEmail: 'bob@example.com' });
    const { userId } = body as { userId: string };
    expect(await server.appContext.store.users.get(userId)).toMatchObject({
      userName: 'bob',
      emailVerified: false,
      lead: false,
    });
    expect(await server.appContext.store.users.get(userId)).not.toHaveProperty('passwordHash');
  });

  test.each([
    ['a taken id', { userId: 'taken', userName: 'new' }, 412, 'ID_TAKEN'],
    ['a taken name', { userName: 'Name-of-taken' }, 412, 'LOGIN_NAME_TAKEN'],
    ['an unknown business', { userName: 'new', businessId: 'unknown' }, 412, 'BUSINESS_UNKNOWN'],
    ['a name like another address', { userName: 'x@example.com' }, 400, 'USER_NAME_RESERVED'],
    ['a name like a link', { userName: 'google:1' }, 400, 'USER_NAME_RESERVED'],
    ['a short password', { userName: 'new', password: 'qz7!kd' }, 422, 'PASSWORD_TOO_SHORT'],
    ['a password with the name', { userName: 'wonderland', password: 'in wonderland 7' }, 422, 'PASSWORD_CONTEXT'],
  ])('is rejected with %s, and nothing changes', async (_, body, status, code) => {
    await using server = await startServer();
    await userToken(server, { userId: 'taken' });
    await server.appContext.store.transaction((tx) =>
      tx.subjects.insert({ subject: 'taken', kind: 'user', ownerId: 'taken' }),
    );
    const before = await server.dump();
    expect(await create(server, body)).toMatchObject({ status, body: [{ code }] });
    expect(await server.dump()).toEqual(before);
  });

  test('is created once by concurrent requests', async () => {
    await using server = await startServer();
    const responses = await Promise.all(Array.from({ length: 50 }, () => create(server, { userName: 'same' })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  });
});

describe('a password set by an administrator', () => {
  test('replaces the previous one, ends the sessions, and the user is notified', async () => {
    await using server = await startServer();
    await create(server, { userId: 'ann', userName: 'ann', userEmail: 'a@example.com', verified: true, password });
    expect(await canLogIn(server, 'ann')).toBe(true);
    const next = 'another long secret phrase';
    expect(await setPassword(server, 'ann', next)).toMatchObject({ status: 204 });
    expect(await server.appContext.store.sessions.find('userId', 'ann')).toEqual([]);
    expect([await canLogIn(server, 'ann'), await canLogIn(server, 'ann', next)]).toEqual([false, true]);
    const inbox = (await send(server, '/_iam/inbox?to=a@example.com')).body;
    expect(inbox).toMatchObject([{ purpose: 'password-changed' }]);
    expect(server.log.join('\n')).not.toContain(next);
  });

  test('keeps a lock', async () => {
    await using server = await startServer();
    await create(server, { userId: 'ann', userName: 'ann' });
    await server.admin.userIdentities.lock({ body: { userId: 'ann', reason: 'lost' } });
    expect(await setPassword(server, 'ann', password)).toMatchObject({ status: 204 });
    expect(await canLogIn(server, 'ann')).toBe(false);
  });

  test('is rejected if it is weak or the user is unknown, and nothing changes', async () => {
    await using server = await startServer();
    await create(server, { userId: 'ann', userName: 'wonderland', password });
    const before = await server.dump();
    const error = (status: number, code: string) => ({ status, body: [{ code }] });
    expect(await setPassword(server, 'ann', 'qz7!kd')).toMatchObject(error(422, 'PASSWORD_TOO_SHORT'));
    expect(await setPassword(server, 'ann', 'in wonderland 7')).toMatchObject(error(422, 'PASSWORD_CONTEXT'));
    expect(await setPassword(server, 'unknown', password)).toMatchObject(error(404, 'USER_NOT_FOUND'));
    expect(await setPassword(server, 'ann', 7)).toMatchObject({ status: 400 });
    expect(await server.dump()).toEqual(before);
  });
});

describe('a token of a client alone', () => {
  const sign = (server: TestServer, body: object, headers = {}) =>
    send(server, '/_iam/sessions', { method: 'POST', headers, body });

  test('is issued to callers on this machine, with the roles of the client and no session', async () => {
    await using server = await startServer();
    const response = await sign(server, { clientId: 'test-admin' });
    expect(response).toMatchObject({ status: 201, body: { tokenType: 'Bearer' } });
    expect(response.body).not.toHaveProperty('sessionId');
    const { accessToken } = response.body as { accessToken: string };
    expect((await server.as({ token: accessToken }).raw('GET', '/security/iam/v1/groups')).status).toBe(200);
    expect(await server.appContext.store.sessions.list()).toEqual([]);
  });

  test('is refused to unknown clients, pages without the header, and with remote access', async () => {
    await using server = await startServer();
    expect(await sign(server, { clientId: 'unknown' })).toMatchObject({ status: 404 });
    expect(await sign(server, {})).toMatchObject({ status: 400, body: [{ code: 'FIELD_MISSING' }] });
    const page = { Origin: server.url, 'Content-Type': 'text/plain', 'Sec-Fetch-Site': 'same-origin' };
    expect(await sign(server, { clientId: 'test-admin' }, page)).toMatchObject({ status: 403 });
    const evil = { Origin: 'https://evil.example' };
    expect(await sign(server, { clientId: 'test-admin' }, evil)).toMatchObject({ status: 403 });
    const flags = { host: '0.0.0.0', 'allow-remote': true, 'test-features': 'on' };
    await using remote = await startServer({ flags });
    const response = await remote.admin.raw('POST', '/_iam/sessions', { body: { clientId: 'test-admin' } });
    expect(response).toMatchObject({ status: 412, body: [{ code: 'TEST_FEATURES_OFF' }] });
  });
});
