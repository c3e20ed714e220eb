import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import type { TestServer } from '../../../../harness.ts';
import { createWrongCode, lastCode } from '../../otp-inbox.ts';
import { createSession, expectRejected, rowOf } from '../callers.ts';
import { logIn } from '../login-fixtures.ts';
import {
  factorOf,
  freshEmail,
  mainEmail,
  settleAll,
  startWithBob,
  throughClient,
  workEmail,
} from './factor-fixtures.ts';

const validate = (as: IamClient, id: string, token: string) =>
  as.userIdentities.factors.validateToken({ params: { id }, body: { token } });

/** Sends a code to a contact and returns it. */
async function codeFor(server: TestServer, as: IamClient, id: string, to: string): Promise<string> {
  await as.userIdentities.factors.sendToken({ params: { id } });
  return lastCode(server, to);
}

describe('a correct code', () => {
  test('verifies an alternative contact and returns a challenge', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob', 'AUTH-BASIC');
    const before = await factorOf(server, 'fresh');
    const response = await validate(as, 'fresh', await codeFor(server, as, 'fresh', freshEmail));
    expect(response).toEqual({ challengeId: expect.stringMatching(/^\S{40,}$/) });
    expect(await factorOf(server, 'fresh')).toEqual({ ...before, verified: true });
    expect(JSON.stringify(await server.dump())).not.toContain(response.challengeId);
    await expect(as.userIdentities.leverageMfa({ body: { factorId: 'fresh' } })).resolves.toBeDefined();
  });

  test('verifies a main e-mail address, which becomes a login identifier', async () => {
    await using server = await startWithEve();
    const as = await createSession(server, 'eve', 'AUTH-BASIC');
    await expect(logIn(server, { name: 'eve@example.com' })).rejects.toMatchObject({ status: 401 });
    await validate(as, 'main-email', await codeFor(server, as, 'main-email', 'eve@example.com'));
    expect(await rowOf(server, 'eve')).toMatchObject({ emailVerified: true, mobileVerified: false });
    await expect(logIn(server, { name: 'EVE@example.com' })).resolves.toBeDefined();
  });

  test('verifies a main mobile number', async () => {
    await using server = await startWithEve();
    const as = await createSession(server, 'eve', 'AUTH-BASIC');
    await validate(as, 'main-mobile', await codeFor(server, as, 'main-mobile', '+12341234'));
    expect(await rowOf(server, 'eve')).toMatchObject({ emailVerified: false, mobileVerified: true });
  });

  test('of a main e-mail address that another user verified first changes nothing', async () => {
    await using server = await startWithEve({ userEmail: 'Bob@example.com' });
    const as = await createSession(server, 'eve', 'AUTH-BASIC');
    const token = await codeFor(server, as, 'main-email', 'Bob@example.com');
    await expectRejected(server, () => validate(as, 'main-email', token), { status: 412, code: 'LOGIN_NAME_TAKEN' });
  });

  test('is accepted once, in sequence and in 100 concurrent requests', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const token = await codeFor(server, as, 'work', workEmail);
    const ended = await settleAll(Array.from({ length: 100 }, () => validate(as, 'work', token)));
    expect(ended.filter((one) => one === 'done')).toHaveLength(1);
    expect(ended.filter((one) => one === 'CODE_INVALID')).toHaveLength(99);
    await expectRejected(server, () => validate(as, 'work', token), { status: 412, code: 'CODE_INVALID' });
  });

  test('is rejected in another session of the same user', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const token = await codeFor(server, as, 'work', workEmail);
    await expect(validate(await createSession(server, 'bob'), 'work', token)).rejects.toMatchObject({
      code: 'CODE_INVALID',
    });
    await expect(validate(as, 'work', token)).resolves.toBeDefined();
  });
});

describe('a code is rejected', () => {
  test('for another contact, purpose or user', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const alice = await createSession(server, 'alice-id');
    const token = await codeFor(server, as, 'work', workEmail);
    await expect(validate(as, 'main-email', token)).rejects.toMatchObject({ code: 'CODE_INVALID' });
    await expect(validate(alice, 'main-email', token)).rejects.toMatchObject({ code: 'CODE_INVALID' });
    await expect(validate(alice, 'work', token)).rejects.toMatchObject({ code: 'FACTOR_NOT_FOUND' });
    const { challengeId } = await as.userIdentities.leverageMfa({ body: {} });
    await expect(as.userIdentities.fulfillMfa({ body: { challengeId, token } })).rejects.toMatchObject({ status: 412 });
    await expect(validate(as, 'main-email', await lastCode(server, mainEmail))).rejects.toMatchObject({ status: 412 });
    await expect(validate(as, 'work', token)).resolves.toBeDefined();
  });

  const invalidCodes = [(code: string) => ` ${code}`, (code: string) => `${code}\n`, () => '', () => 'abcdef'];
  const digits = (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit)));
  test('with spaces, letters or digits of other scripts', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const token = await codeFor(server, as, 'work', workEmail);
    for (const rejectedCode of [...invalidCodes, digits]) {
      await expect(validate(as, 'work', rejectedCode(token))).rejects.toMatchObject({
        status: 412,
        code: 'CODE_INVALID',
      });
      await server.appContext.store.transaction(async (tx) => {
        for (const { name } of await tx.codeFailures.list()) await tx.codeFailures.delete(name);
      });
    }
    await expect(validate(as, 'work', token)).resolves.toBeDefined();
  });

  test('after five wrong ones over all contacts and sessions, also if it is new', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    for (const [id, to] of [
      ['work', workEmail],
      ['main-email', mainEmail],
      ['work', workEmail],
      ['fresh', freshEmail],
      ['work', workEmail],
    ] as const) {
      const token = createWrongCode(await codeFor(server, as, id, to));
      await expect(validate(as, id, token)).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
    }
    const other = await createSession(server, 'bob');
    const token = await codeFor(server, other, 'main-email', mainEmail);
    await expectRejected(server, () => validate(other, 'main-email', token), { status: 429, code: 'CODE_FAILURES' });
    await expect(validate(other, 'main-email', token)).rejects.toMatchObject({ retryAfter: 3600 });
    server.clock.advance(3600);
    const again = await createSession(server, 'bob');
    await expect(
      validate(again, 'main-email', await codeFor(server, again, 'main-email', mainEmail)),
    ).resolves.toBeDefined();
  });

  test('once the user is locked or has another main e-mail address', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const token = await codeFor(server, as, 'main-email', mainEmail);
    const params = { id: 'bob' };
    await server.admin.userIdentities.update({ params, body: { userEmail: 'other@example.com' } });
    await server.admin.userIdentities.update({ params, body: { userEmail: mainEmail } });
    await expect(validate(as, 'main-email', token)).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
    const next = await codeFor(server, as, 'work', workEmail);
    await server.admin.userIdentities.lock({ body: { userId: 'bob' } });
    await expectRejected(server, () => validate(as, 'work', next), { status: 401, code: 'TOKEN_INVALID' });
    await server.admin.userIdentities.unlock({ body: { userId: 'bob' } });
    const later = await createSession(server, 'bob');
    await expect(validate(later, 'work', next)).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
  });
});

describe('is rejected', () => {
  test('for a contact that the client cannot see, even with the correct code', async () => {
    await using server = await startWithBob();
    const token = await codeFor(server, await createSession(server, 'bob'), 'phone', '+15555550123');
    for (const visibility of ['CREDENTIALS_ONLY', 'MARKED_RESOURCES'] as const) {
      const as = await throughClient(server, visibility);
      await expectRejected(server, () => validate(as, 'phone', token), { status: 404, code: 'FACTOR_NOT_FOUND' });
    }
  });
});

/** Eve, who signed up without a verified contact and has a password. */
async function startWithEve(changes: object = {}): Promise<TestServer> {
  const server = await startWithBob();
  const user = await rowOf(server, 'bob');
  await server.appContext.store.transaction((tx) =>
    tx.users.insert({
      ...user,
      userId: 'eve',
      userName: 'eve',
      userEmail: 'eve@example.com',
      emailVerified: false,
      userMobile: { regionCode: 1, areaCode: 2, phoneNumber: 341234 },
      mobileVerified: false,
      ...changes,
    }),
  );
  return server;
}
