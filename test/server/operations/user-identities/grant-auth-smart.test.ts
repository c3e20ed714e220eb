import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { appClientId, type TestServer } from '../../../harness.ts';
import { issueForUser } from '../../tokens/issue-token.ts';
import { lastCode } from '../otp-inbox.ts';
import { createSession, expectRejected } from './callers.ts';
import { completeSecondFactor, logInAs, mainEmail, settleAll, startWithBob } from './factors/factor-fixtures.ts';
import { postJson, readClaims, readRoles } from './login-fixtures.ts';

const grant = (as: IamClient, challengeId: string) => as.userIdentities.grantAuthSmart({ body: { challengeId } });

/** Verifies the main e-mail address and returns the challenge. */
async function completeFactor(server: TestServer, as: IamClient, to = mainEmail): Promise<string> {
  const params = { id: 'main-email' };
  await as.userIdentities.factors.sendToken({ params });
  const body = { token: await lastCode(server, to) };
  return (await as.userIdentities.factors.validateToken({ params, body })).challengeId;
}

describe('a challenge', () => {
  test('grants AUTH-SMART in addition to the level', async () => {
    await using server = await startWithBob();
    const { as, accessToken } = await logInAs(server);
    const token = await grant(as, await completeFactor(server, as));
    expect(token).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: '3600',
      scope: ['READ', 'WRITE'],
    });
    expect(readRoles(token)).toEqual([...readRoles({ accessToken }), 'AUTH-SMART'].sort());
    const mfaToken = await completeSecondFactor(server, server.as({ token: token.accessToken }));
    expect(readRoles(mfaToken)).toEqual(expect.arrayContaining(['AUTH-MFA', 'AUTH-SMART']));
  });

  test('replaces the refresh token of the session, and renewals keep AUTH-SMART', async () => {
    await using server = await startWithBob();
    const { as, refreshToken } = await logInAs(server, 'bob', { remember: true });
    const token = await grant(as, await completeFactor(server, as));
    expect(token.refreshToken).not.toBe(refreshToken);
    const renew = (refreshToken: string | undefined) =>
      postJson(server, '/generate-token', { grantType: 'refresh_token', clientId: appClientId, refreshToken });
    const renewed = await renew(token.refreshToken);
    expect(readRoles(renewed.json as { accessToken: string })).toContain('AUTH-SMART');
    expect((await renew(refreshToken)).status).toBe(401);
  });

  test('widens no scope', async () => {
    await using server = await startWithBob();
    const { as, accessToken } = await logInAs(server);
    const challengeId = await completeFactor(server, as);
    const session = await server.appContext.store.sessions.get(String(readClaims({ accessToken }).sid));
    await server.appContext.store.transaction(async (tx) => {
      if (session) await tx.sessions.replace({ ...session, scope: ['WRITE'] });
    });
    const { store } = server.appContext;
    const [user, client] = [await store.users.get('bob'), await store.clients.get(appClientId)];
    if (!user || !client || !session) throw new Error('expected the user and its session to exist');
    const narrow = await issueForUser(server.appContext, { user, session: { ...session, scope: ['WRITE'] }, client });
    expect((await grant(server.as({ token: narrow.accessToken }), challengeId)).scope).toEqual(['WRITE']);
  });

  test('is accepted once, in sequence and in 100 concurrent requests', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server, 'bob', { remember: true });
    const challengeId = await completeFactor(server, as);
    const ended = await settleAll(Array.from({ length: 100 }, () => grant(as, challengeId)));
    expect(ended.filter((one) => one === 'done')).toHaveLength(1);
    expect(ended.filter((one) => one === 'CODE_INVALID')).toHaveLength(99);
    await expectRejected(server, () => grant(as, challengeId), { status: 412, code: 'CODE_INVALID' });
  });

  test('is valid for five minutes', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server);
    const [one, other] = [await completeFactor(server, as), await completeFactor(server, as)];
    server.clock.advance(299);
    await expect(grant(as, one)).resolves.toBeDefined();
    server.clock.advance(1);
    await expectRejected(server, () => grant(as, other), { status: 412, code: 'CODE_INVALID' });
  });
});

describe('is rejected', () => {
  test('in another session and for another user, without being consumed', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server);
    const challengeId = await completeFactor(server, as);
    for (const other of [
      await createSession(server, 'bob', 'AUTH-BASIC'),
      await createSession(server, 'alice-id', 'AUTH-BASIC'),
    ])
      await expectRejected(server, () => grant(other, challengeId), { status: 412, code: 'CODE_INVALID' });
    await expect(grant(as, challengeId)).resolves.toBeDefined();
  });

  test('if it is forged, of MFA, a code or a refresh token', async () => {
    await using server = await startWithBob();
    const { as, refreshToken = '' } = await logInAs(server, 'bob', { remember: true });
    const { challengeId } = await as.userIdentities.leverageMfa({ body: {} });
    for (const created of ['', 'x', challengeId, await lastCode(server, mainEmail), refreshToken])
      await expectRejected(server, () => grant(as, created), { status: 412, code: 'CODE_INVALID' });
  });

  test('after a lock of the user, even if that has ended', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server);
    const challengeId = await completeFactor(server, as);
    await server.admin.userIdentities.lock({ body: { userId: 'bob' } });
    await server.admin.userIdentities.unlock({ body: { userId: 'bob' } });
    await expectRejected(server, () => grant(as, challengeId), { status: 401, code: 'TOKEN_INVALID' });
    await expect(grant((await logInAs(server)).as, challengeId)).rejects.toMatchObject({ status: 412 });
  });
});
