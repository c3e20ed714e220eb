import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { lastCode, messagesTo } from '../otp-inbox.ts';
import { asUser } from '../user-token.ts';
import { createSession } from './callers.ts';
import { alice } from './login-fixtures.ts';
import { afterMainframeRequest, dora, replaceMainframe, startWithLogons, stopMainframe } from './logon-fixtures.ts';

const associate = (as: IamClient, logon = 'FREE1') => as.userIdentities.associateLegacyByEmail({ body: { logon } });
const asAlice = (server: TestServer) => createSession(server, alice.userId, 'AUTH-BASIC');

test('sends a code to the e-mail address in the mainframe and returns it masked', async () => {
  await using server = await startWithLogons();
  const response = await associate(await asAlice(server), 'free1');
  expect(response).toEqual({ challengeId: expect.any(String), contact: 'f***@mainframe.example', expiresIn: '600' });
  expect(await messagesTo(server)).toMatchObject([
    { to: 'free@mainframe.example', channel: 'email', purpose: 'legacy-association', codeId: response.challengeId },
  ]);
  expect(await lastCode(server, 'free@mainframe.example')).toMatch(/^\d{6}$/);
});

describe('an unavailable logon', () => {
  test.each(['UNKNOWN', 'BARE1', 'DORA1'])('has the same response, and nothing is sent: %s', async (logon) => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    const first = await associate(as, logon);
    const again = await associate(as, logon.toLowerCase());
    expect(first).toEqual({
      challengeId: expect.any(String),
      contact: expect.stringMatching(/^[a-z]\*{3}@/),
      expiresIn: '600',
    });
    expect(again.contact).toBe(first.contact);
    expect(again.contact).not.toBe('d***@mainframe.example');
    expect(await messagesTo(server)).toEqual([]);
  });

  test('is also one that the caller already has', async () => {
    await using server = await startWithLogons();
    await expect(associate(await createSession(server, dora.userId), 'DORA1')).resolves.toBeDefined();
    expect(await messagesTo(server)).toEqual([]);
  });

  test('voids the previous code, as an available one does', async () => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    const { challengeId } = await associate(as, 'FREE1');
    const token = await lastCode(server, 'free@mainframe.example');
    await associate(as, 'UNKNOWN');
    await expect(as.userIdentities.completeAssociateLegacy({ body: { challengeId, token } })).rejects.toMatchObject({
      status: 412,
    });
  });
});

test('is limited like any other: five codes an hour for each logon over all callers, then 429', async () => {
  await using server = await startWithLogons();
  const callers = [await asAlice(server), await createSession(server, dora.userId)];
  for (const logon of ['FREE1', 'UNKNOWN', 'DORA1']) {
    for (let count = 0; count < 5; count += 1) await associate(callers[count % 2] as IamClient, logon);
    const before = await server.dump();
    for (const caller of callers)
      await expect(associate(caller, logon)).rejects.toMatchObject({ status: 429, code: 'TOO_MANY_CODES' });
    expect(await server.dump()).toEqual(before);
  }
});

test('returns 503 when the mainframe does not respond, and sends and counts nothing', async () => {
  await using server = await startWithLogons();
  const as = await asAlice(server);
  const restoreMainframe = stopMainframe(server);
  const before = await server.dump();
  await expect(associate(as)).rejects.toMatchObject({ status: 503, code: 'MAINFRAME_UNAVAILABLE' });
  expect(await server.dump()).toEqual(before);
  restoreMainframe();
  await expect(associate(as)).resolves.toBeDefined();
});

describe('during the request to the mainframe', () => {
  test.each(['lock', 'end of the session'])('a %s stops the flow', async (event) => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    afterMainframeRequest(server, 'find', async () => {
      if (event === 'lock') return server.admin.userIdentities.lock({ body: { userId: alice.userId } });
      return server.appContext.store.transaction(async (tx) => {
        for (const { sessionId } of await tx.sessions.list()) await tx.sessions.delete(sessionId);
      });
    });
    await expect(associate(as)).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    expect(await messagesTo(server)).toEqual([]);
  });

  test('sends nothing if the logon is bound to another user meanwhile', async () => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    afterMainframeRequest(server, 'find', () =>
      server.appContext.store.transaction(async (tx) => {
        const row = await tx.users.get(dora.userId);
        if (row) await tx.users.replace({ ...row, legacyLogons: ['DORA1', 'FREE1'] });
      }),
    );
    await expect(associate(as)).resolves.toBeDefined();
    expect(await messagesTo(server)).toEqual([]);
  });
});

test('sends nothing with an empty mainframe', async () => {
  await using server = await startServer();
  replaceMainframe(server, {});
  await expect(associate(await asUser(server))).resolves.toMatchObject({ contact: expect.stringContaining('***@') });
});
