import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { createWrongCode, lastCode } from '../otp-inbox.ts';
import { createSession, expectRejected } from './callers.ts';
import {
  completeSecondFactor,
  logInAs,
  mainEmail,
  settleAll,
  startWithBob,
  workEmail,
} from './factors/factor-fixtures.ts';
import { readClaims, readRoles } from './login-fixtures.ts';
import { addFactor, type FactorResponse, fulfill, renew, requestChallenge } from './second-factor.ts';

const hour = 3600;

describe('a correct code', () => {
  test('grants AUTH-MFA to new tokens of the session but not to earlier ones', async () => {
    await using server = await startWithBob();
    const { as, accessToken } = await logInAs(server);
    const token = await completeSecondFactor(server, as);
    expect(token).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: '3600',
      scope: ['READ', 'WRITE'],
    });
    expect(readRoles(token)).toEqual([
      'AUTH-BASIC',
      'AUTH-IDENTIFIED',
      'AUTH-MFA',
      'CLI-1STPARTY',
      'CLI-AUTH-IDENTIFIED',
      'PERSON',
      'USER',
    ]);
    expect(readClaims(token)).toMatchObject({ sub: 'bob', sid: readClaims({ accessToken }).sid });
    await expect(addFactor(as)).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
    await expect(addFactor(server.as({ token: token.accessToken }))).resolves.toHaveLength(1);
  });

  test('of an alternative contact is accepted', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server);
    expect(readRoles(await fulfill(as, await requestChallenge(server, as, 'work', workEmail)))).toContain('AUTH-MFA');
  });

  test('replaces the refresh token of the session', async () => {
    await using server = await startWithBob();
    const { as, refreshToken } = await logInAs(server, 'bob', { remember: true });
    const token = await completeSecondFactor(server, as);
    expect(token.refreshToken).toMatch(/^[0-9a-f-]{36}$/);
    expect(token.refreshToken).not.toBe(refreshToken);
    expect(token.expiresIn).toBe('600');
    const renewed = await renew(server, token.refreshToken);
    expect(readRoles(renewed.json)).toContain('AUTH-MFA');
    expect((await renew(server, refreshToken)).status).toBe(401);
    expect((await renew(server, renewed.json.refreshToken)).status).toBe(401);
  });

  test('widens no scope: a narrowed token stays narrowed', async () => {
    await using server = await startWithBob();
    const { refreshToken } = await logInAs(server, 'bob', { remember: true });
    const { accessToken } = (await renew(server, refreshToken, ['READ'])).json;
    const token = await completeSecondFactor(server, server.as({ token: accessToken }));
    expect(token.scope).toEqual(['READ']);
    expect(readClaims(token).scope).toEqual(['READ']);
  });

  test('returns no refresh token to a narrowed token, since it would renew to the full scope', async () => {
    await using server = await startWithBob();
    const { refreshToken } = await logInAs(server, 'bob', { remember: true });
    const first = (await renew(server, refreshToken, ['READ'])).json;
    const token = await completeSecondFactor(server, server.as({ token: first.accessToken }));
    expect(token.refreshToken).toBeUndefined();
    expect((await renew(server, first.refreshToken)).status).toBe(201);
  });

  test('is accepted once, in sequence and in 100 concurrent requests', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server, 'bob', { remember: true });
    const challenge = await requestChallenge(server, as);
    const ended = await settleAll(Array.from({ length: 100 }, () => fulfill(as, challenge)));
    expect(ended.filter((one) => one === 'done')).toHaveLength(1);
    expect(ended.filter((one) => one === 'CODE_INVALID')).toHaveLength(99);
    await expectRejected(server, () => fulfill(as, challenge), { status: 412, code: 'CODE_INVALID' });
    expect(await server.appContext.store.refreshTokens.list()).toHaveLength(1);
  });
});

describe('a code is rejected', () => {
  test('in another session, for another user and for another challenge', async () => {
    await using server = await startWithBob();
    const [{ as }, other] = [await logInAs(server), await logInAs(server)];
    const challenge = await requestChallenge(server, as);
    const alice = await createSession(server, 'alice-id', 'AUTH-BASIC');
    const others = await requestChallenge(server, other.as, 'work', workEmail);
    const rejected: [IamClient, FactorResponse][] = [
      [other.as, challenge],
      [alice, challenge],
      [as, { ...challenge, challengeId: others.challengeId }],
      [as, { ...challenge, challengeId: '' }],
      [as, { ...challenge, challengeId: 'none' }],
    ];
    for (const [caller, input] of rejected)
      await expect(fulfill(caller, input)).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
    await expect(fulfill(as, challenge)).resolves.toBeDefined();
  });

  test('of another purpose', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server);
    const { challengeId } = await requestChallenge(server, as);
    await as.userIdentities.factors.sendToken({ params: { id: 'work' } });
    const token = await lastCode(server, workEmail);
    await expect(fulfill(as, { challengeId, token })).rejects.toMatchObject({ code: 'CODE_INVALID' });
  });

  test('after five wrong ones over all sessions, also if it is new', async () => {
    await using server = await startWithBob();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { as } = await logInAs(server);
      const [id, to] = attempt % 2 === 0 ? ['main-email', mainEmail] : ['work', workEmail];
      const challenge = await requestChallenge(server, as, id, to);
      await expect(fulfill(as, { ...challenge, token: createWrongCode(challenge.token) })).rejects.toMatchObject({
        status: 412,
      });
    }
    const { as } = await logInAs(server);
    const challenge = await requestChallenge(server, as);
    await expectRejected(server, () => fulfill(as, challenge), { status: 429, code: 'CODE_FAILURES' });
    await expect(fulfill(as, challenge)).rejects.toMatchObject({ retryAfter: 3600 });
    server.clock.advance(hour);
    await expect(completeSecondFactor(server, (await logInAs(server)).as)).resolves.toBeDefined();
  });
});

describe('rejects', () => {
  test('a guess without a pending code, which counts as a failure', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    for (let guess = 0; guess < 5; guess += 1)
      await expect(fulfill(as, { challengeId: 'x', token: '123456' })).rejects.toMatchObject({ status: 412 });
    await expect(fulfill(as, { challengeId: 'x', token: '123456' })).rejects.toMatchObject({ status: 429 });
  });
});
