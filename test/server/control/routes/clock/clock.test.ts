import { describe, expect, test } from 'vitest';
import { emailContact } from '../../../../../src/server/messaging/contacts.ts';
import { startSession } from '../../../../../src/server/sessions/sessions.ts';
import { issueOneTimeToken } from '../../../../../src/server/tokens/one-time-tokens.ts';
import { appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { messagesTo } from '../../../operations/otp-inbox.ts';
import { password, passwordHash } from '../../../operations/user-identities/login-fixtures.ts';
import { userToken } from '../../../operations/user-token.ts';
import { send } from '../../control-client.ts';
import { sendNotice, sendTestCode } from '../inbox/messages.ts';

const start = '2026-03-01T12:00:00.000Z';
const atStart = { now: start, frozen: false, offset: 0 };
const path = '/_iam/clock';

const show = async (server: TestServer) => (await send(server, path)).body;
const put = (server: TestServer, body: unknown) => send(server, path, { method: 'PUT', body });

async function statusWith(server: TestServer, token: string): Promise<number> {
  return (await server.as({ token }).raw('GET', '/security/iam/v1/groups')).status;
}

function claimsOf(token: string): { jti: string; exp: number; sid: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

test('returns the current time of the server', async () => {
  await using server = await startServer();
  expect(await send(server, path)).toMatchObject({ status: 200, body: atStart });
  server.clock.advance(5);
  expect(await show(server)).toMatchObject({ now: '2026-03-01T12:00:05.000Z' });
});

const shared = sharedServer(() => startServer());

describe('setting it', () => {
  test.each([
    [{ set: '2030-01-31T12:00:00Z' }, { now: '2030-01-31T12:00:00.000Z', frozen: false, offset: 123724800 }],
    [
      { set: '2020-01-01T01:00:00+01:00', freeze: true },
      { now: '2020-01-01T00:00:00.000Z', frozen: true },
    ],
    [{ advance: '10m' }, { now: '2026-03-01T12:10:00.000Z', frozen: false, offset: 600 }],
    [{ advance: '-1h30m' }, { now: '2026-03-01T10:30:00.000Z', frozen: false, offset: -5400 }],
    [{ advance: '250ms' }, { now: '2026-03-01T12:00:00.250Z', offset: 0.25 }],
    [{ freeze: true }, { now: start, frozen: true, offset: 0 }],
    [{ freeze: false }, atStart],
    [{ reset: true }, atStart],
  ])('setting %j returns %j', async (body, expected) => {
    await using server = await startServer();
    const response = await put(server, body);
    expect(response).toMatchObject({ status: 200, body: expected });
    expect(await show(server)).toEqual(response.body);
  });

  test('freezes the clock and resumes from the frozen time', async () => {
    await using server = await startServer();
    await put(server, { freeze: true });
    server.clock.advance(60);
    expect(await show(server)).toEqual({ now: start, frozen: true, offset: -60 });
    await put(server, { advance: '1s' });
    await put(server, { freeze: false });
    server.clock.advance(1);
    expect(await show(server)).toEqual({ now: '2026-03-01T12:00:02.000Z', frozen: false, offset: -59 });
    await put(server, { reset: true });
    expect(await show(server)).toEqual({ now: '2026-03-01T12:01:01.000Z', frozen: false, offset: 0 });
  });

  test.each([
    [{}],
    [{ set: 'tomorrow' }],
    [{ set: '2030-01-31' }],
    [{ set: '2030-01-31T12:00:00' }],
    [{ set: '2030-02-30T12:00:00Z' }],
    [{ set: '3000-01-01T00:00:00Z' }],
    [{ set: '1969-12-31T23:59:59Z', freeze: true }],
    [{ advance: '10' }],
    [{ advance: '999999999w', freeze: true }],
    [{ advance: '-999999999w' }],
    [{ reset: false }],
    [{ reset: true, freeze: true }],
    [{ set: '2030-01-31T12:00:00Z', advance: '1s' }],
    [{ advance: '1s', reset: true }],
    [{ to: 'expiry' }],
    [{ to: 'end', of: 'x' }],
    [{ of: 'x' }],
    [{ freeze: true, offset: '1s' }],
    [{ to: 'expiry', of: 'x', offset: 'soon' }],
  ])('rejects %j and leaves the clock unchanged', async (body) => {
    const server = shared();
    expect(await put(server, body)).toMatchObject({ status: 400, body: [{ code: expect.stringMatching(/^FIELD_/) }] });
    expect(await show(server)).toEqual(atStart);
  });
});

describe('what ends', () => {
  test('expires by this clock', async () => {
    await using server = await startServer();
    const token = await userToken(server, { roles: ['ADMIN'] });
    await put(server, { advance: '59m59s' });
    expect(await statusWith(server, token)).toBe(200);
    await put(server, { advance: '1s' });
    expect(await statusWith(server, token)).toBe(401);
    const login = await server.admin.clientIdentities.login();
    expect(claimsOf(login.accessToken).exp).toBe(Date.parse('2026-03-01T14:00:00.000Z') / 1000);
  });

  test('is a jump target by its id, before and after it expires', async () => {
    await using server = await startServer();
    await put(server, { freeze: true });
    const token = await userToken(server, { roles: ['ADMIN'] });
    const { jti } = claimsOf(token);
    for (const of of [token, jti]) {
      expect((await put(server, { to: 'expiry', of, offset: '-1s' })).body).toMatchObject({
        now: '2026-03-01T12:59:59.000Z',
        frozen: true,
      });
      expect(await statusWith(server, token)).toBe(200);
      expect((await put(server, { to: 'expiry', of })).body).toMatchObject({ now: '2026-03-01T13:00:00.000Z' });
      expect(await statusWith(server, token)).toBe(401);
      expect((await put(server, { to: 'expiry', of, offset: '1h', freeze: true })).status).toBe(200);
    }
  });

  test('can be a session, a code by challenge or message, a refresh token or a ticket', async () => {
    await using server = await startServer();
    const { appContext: fixture } = server;
    const { sid } = claimsOf(await userToken(server, { userId: 'u1' }));
    const contact = emailContact('ann@example.com');
    const messageId = await sendTestCode(fixture, { purpose: 'recovery', subject: 'user:u1' }, contact);
    const codeId = (await fixture.store.messages.get(messageId))?.codeId ?? '';
    const begun = {
      client: { clientId: appClientId, party: '1STPARTY' },
      userId: 'u1',
      level: 'AUTH-BASIC',
      remember: false,
      renewable: true,
    } as const;
    const { refreshToken } = await fixture.store.transaction((tx) => startSession(tx, begun, fixture));
    const ticket = await ticketOf(server);
    for (const [of, now] of [
      [sid, '2026-03-02T00:00:00.000Z'],
      [messageId, '2026-03-01T12:10:00.000Z'],
      [codeId, '2026-03-01T12:10:00.000Z'],
      [refreshToken, '2026-03-31T12:00:00.000Z'],
      [ticket, expect.stringMatching(/^2026-03-01T12:/)],
    ])
      expect(await put(server, { to: 'expiry', of })).toMatchObject({ status: 200, body: { now } });
  });

  test.each(['unknown', 'a.b.c', '__proto__', 'ü', 'x'.repeat(16_384)])(
    'is unknown as %.20j, and the clock is unchanged',
    async (of) => {
      const server = shared();
      expect(await put(server, { to: 'expiry', of })).toMatchObject({
        status: 404,
        body: [{ code: 'EXPIRY_NOT_FOUND' }],
      });
      expect(await show(server)).toEqual(atStart);
    },
  );

  test('is not a message without a code', async () => {
    await using server = await startServer();
    const of = await sendNotice(server.appContext, 'ann@example.com');
    expect((await put(server, { to: 'expiry', of })).status).toBe(404);
  });
});

describe('a clock that is set back', () => {
  test('does not revalidate tokens from before a secret change, nor ended sessions', async () => {
    await using server = await startServer();
    const token = await userToken(server, { roles: ['ADMIN'] });
    const { accessToken } = await server.admin.clientIdentities.login();
    await put(server, { advance: '1s' });
    await server.appContext.store.transaction(async (tx) => {
      const client = await tx.clients.getBy('bootstrap', 'admin');
      if (client) await tx.clients.replace({ ...client, tokenGeneration: 1 });
    });
    expect((await send(server, `/_iam/sessions?sessionId=${claimsOf(token).sid}`, { method: 'DELETE' })).status).toBe(
      200,
    );
    for (const advance of ['0s', '-1s', '-1h']) {
      await put(server, { advance });
      expect([await statusWith(server, token), await statusWith(server, accessToken)]).toEqual([401, 401]);
    }
  });

  test('keeps the order of later messages', async () => {
    await using server = await startServer();
    await put(server, { advance: '7d' });
    const first = await sendNotice(server.appContext, 'ann@example.com');
    await put(server, { reset: true });
    const second = await sendNotice(server.appContext, 'ann@example.com');
    expect(second > first).toBe(true);
  });

  test('does not extend a login throttle', async () => {
    await using server = await startServer({ seed: { users: [{ userId: 'ann', userName: 'ann', passwordHash }] } });
    await put(server, { set: '2030-01-01T00:00:00Z' });
    const logIn = (secret: string) =>
      server.send({
        method: 'POST',
        path: `/security/iam/v1/user-identities/login?clientId=${appClientId}`,
        headers: [['Authorization', `Basic ${btoa(`ann:${secret}`)}`]],
      });
    for (let at = 0; at < 10; at += 1) await logIn('wrong');
    await put(server, { reset: true });
    const held = await logIn(password);
    expect([held.status, Number(held.headers['retry-after']) <= 30]).toEqual([429, true]);
    await put(server, { advance: '30s' });
    expect(await logIn(password)).toMatchObject({ status: 201 });
  });
});

test('does not block sending or verifying codes', async () => {
  const users = [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com' }];
  await using server = await startServer({ seed: { users } });
  const sendRequest = (operation: string, body: object) =>
    server.as().raw('POST', `/security/iam/v1/user-identities/${operation}?clientId=${appClientId}`, { body });
  const retrieve = () => sendRequest('retrieve-identity', { userName: 'ann' });
  const guess = async () => {
    const body = { username: 'ann', validationCode: 'wrong', newPassword: 'another horse battery staple' };
    const { status, headers } = await sendRequest('reset-password', body);
    return [status, headers['retry-after']];
  };
  await put(server, { set: '2030-01-01T00:00:00Z' });
  for (let at = 0; at < 5; at += 1) await retrieve();
  for (let at = 0; at < 5; at += 1) await guess();
  expect(await guess()).toEqual([429, '3600']);
  await put(server, { reset: true });
  expect(await guess()).toEqual([429, '3600']);
  await put(server, { advance: '59m' });
  expect(await guess()).toEqual([429, '60']);
  await put(server, { advance: '1m' });
  expect((await guess())[0]).not.toBe(429);
  const { length: sent } = await messagesTo(server);
  await retrieve();
  expect(await messagesTo(server)).toHaveLength(sent + 1);
});

async function ticketOf({ appContext: fixture }: TestServer): Promise<string> {
  const bound = { kind: 'param', clientId: appClientId } as const;
  return (await fixture.store.transaction((tx) => issueOneTimeToken(tx, bound, fixture))).value;
}
