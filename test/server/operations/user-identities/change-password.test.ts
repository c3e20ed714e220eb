import { describe, expect, test } from 'vitest';
import { ClientError, type IamClient } from '../../../../src/client/index.ts';
import { verifyPasswordHash } from '../../../../src/server/users/passwords.ts';
import type { TestServer } from '../../../harness.ts';
import { messagesTo } from '../otp-inbox.ts';
import { createSession, expectRejected, rowOf } from './callers.ts';
import { newPassword, recoveryCode, rejectedCode, reset } from './flows.ts';
import {
  alice,
  countHashes,
  logIn,
  loginEndpoints,
  password,
  postJson,
  replacePasswords,
  startWith,
} from './login-fixtures.ts';
import { forwardedFrom, logInFrom, withProxy } from './sources.ts';

const { userId } = alice;
const change = (as: IamClient, { current = password, input = newPassword } = {}) =>
  as.userIdentities.changePassword({ body: { password: current, newPassword: input } });
const wrong = { status: 412, code: 'PASSWORD_WRONG' };

test('replaces the current password', async () => {
  await using server = await startWith();
  expect(await change(await createSession(server, userId, 'AUTH-BASIC'))).toEqual({});
  await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
  await expect(logIn(server, { secret: newPassword })).resolves.toBeDefined();
  expect(await verifyPasswordHash(newPassword, (await rowOf(server)).passwordHash ?? '')).toBe(true);
});

test('ends every other session of the user with its refresh tokens, codes and one-time tokens', async () => {
  await using server = await startWith([{ userId: 'carol', userName: 'carol' }]);
  const mine = await logIn(server, { remember: true });
  const other = await logIn(server, { remember: true });
  const carol = await createSession(server, 'carol');
  const code = await recoveryCode(server);
  const me = server.as({ token: mine.accessToken });
  await change(me);
  const read = (as: IamClient, id = userId) => as.userIdentities.get({ params: { id } });
  await expect(read(me)).resolves.toBeDefined();
  await expect(read(carol, 'carol')).resolves.toBeDefined();
  await expect(read(server.as({ token: other.accessToken }))).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  expect(await server.appContext.store.refreshTokens.count()).toBe(1);
  expect(await reset(server, code)).toMatchObject(rejectedCode);
});

test('sends a notice to the contacts of the user', async () => {
  await using server = await startWith();
  await change(await createSession(server, userId));
  expect(await messagesTo(server)).toMatchObject([{ to: alice.userEmail, purpose: 'password-changed' }]);
});

test('stores the exact password that was sent, up to the maximum length', async () => {
  await using server = await startWith();
  const user = await createSession(server, userId);
  const maxPassword = '\u{1f511} '.repeat(64);
  await change(user, { input: maxPassword });
  for (const other of [maxPassword.trim(), maxPassword.slice(0, 72), `${maxPassword}x`])
    await expect(logIn(server, { secret: other })).rejects.toMatchObject({ status: 401 });
  await expect(logIn(server, { secret: maxPassword })).resolves.toBeDefined();
});

describe('a wrong current password', () => {
  test('is rejected and leaves the store unchanged, whatever the new password', async () => {
    await using server = await startWith();
    const user = await createSession(server, userId);
    for (const input of [newPassword, 'q9 fj'])
      await expectRejected(server, () => change(user, { current: 'open sesame', input }), wrong);
  });

  test('is throttled after ten, separately from failed logins, which anyone can cause', async () => {
    await using server = await startWith();
    const user = await createSession(server, userId);
    for (let guess = 0; guess < 10; guess += 1)
      for (const name of [userId, 'alice']) await loginEndpoints.login?.(server, name, `guess ${guess}`);
    for (let guess = 0; guess < 10; guess += 1)
      await expect(change(user, { current: `guess ${guess}` })).rejects.toMatchObject(wrong);
    await expect(change(user)).rejects.toMatchObject({ status: 429, code: 'TOO_MANY_ATTEMPTS', retryAfter: 30 });
    server.clock.advance(31);
    expect(await change(user)).toEqual({});
    await expect(logIn(server, { secret: newPassword })).resolves.toBeDefined();
  });

  test('fails a hundred times at most over all sources; then only known sources are accepted until an unlock', async () => {
    await using server = await startWith([], withProxy());
    // This test is not about the cost of hashes.
    replacePasswords(server, { matches: async (secret) => secret === password });
    await logInFrom(server, '192.0.2.1');
    const { accessToken } = await logIn(server);
    const changeFrom = (address: string, current: string) =>
      postJson(
        server,
        '/user-identities/me/change-password',
        { password: current, newPassword },
        { ...forwardedFrom(address), authorization: `Bearer ${accessToken}` },
      );
    for (let guess = 0; guess < 100; guess += 1)
      expect((await changeFrom(`198.51.100.${guess % 20}`, `guess ${guess}`)).status).toBe(412);
    expect(await changeFrom('203.0.113.1', password)).toMatchObject({ status: 429 });
    expect(await changeFrom('192.0.2.1', 'wrong')).toMatchObject({ status: 412 });
    await server.admin.userIdentities.unlock({ body: { userId } });
    expect(await changeFrom('203.0.113.1', password)).toMatchObject({ status: 201 });
  });

  test('is checked ten times in 100 concurrent requests', async () => {
    await using server = await startWith();
    const user = await createSession(server, userId);
    const hashes = countHashes(server);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, at) => change(user, { current: `guess ${at}` })),
    );
    const codes = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.code as string);
    expect(codes.filter((code) => code === 'PASSWORD_WRONG')).toHaveLength(10);
    expect(codes.filter((code) => code === 'TOO_MANY_ATTEMPTS')).toHaveLength(90);
    expect(hashes.count).toBe(10);
  });

  test('is not hashed if it is longer than the maximum, and never matches a user without a password', async () => {
    await using server = await startWith([{ userId: 'carol', userName: 'carol' }]);
    const hashes = countHashes(server);
    const user = await createSession(server, userId);
    await expect(change(user, { current: 'x'.repeat(129) })).rejects.toMatchObject(wrong);
    expect(hashes.count).toBe(0);
    await expect(change(await createSession(server, 'carol'), { current: '' })).rejects.toMatchObject(wrong);
    expect(hashes.count).toBe(1);
  });
});

test('rejects a weak password with one error for each rule and leaves the store unchanged', async () => {
  await using server = await startWith();
  const user = await createSession(server, userId);
  const before = await server.dump();
  const weak: [string, string[]][] = [
    ['alice', ['PASSWORD_TOO_SHORT', 'PASSWORD_COMMON', 'PASSWORD_CONTEXT']],
    ['trustno1', ['PASSWORD_COMMON']],
    ['x'.repeat(129), ['PASSWORD_TOO_LONG']],
    ['x'.repeat(1001), ['FIELD_VALUE']],
  ];
  for (const [input, codes] of weak) {
    const failure = (await change(user, { input }).catch((error: unknown) => error)) as ClientError;
    expect(failure).toBeInstanceOf(ClientError);
    expect([failure.status, failure.items.map(({ code }) => code)]).toEqual([422, codes]);
  }
  expect(await server.dump()).toEqual(before);
});

test('accepts one of 100 concurrent requests', async () => {
  await using server = await startWith();
  const user = await createSession(server, userId);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => change(user, { input: `${newPassword} ${at}` })),
  );
  const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
  expect(winners).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect([412, 429]).toContain(outcome.reason.status);
  expect(await verifyPasswordHash(`${newPassword} ${winners[0]}`, (await rowOf(server)).passwordHash ?? '')).toBe(true);
});

describe('while the new password is hashed', () => {
  const events: Record<string, [(server: TestServer) => Promise<unknown>, object]> = {
    lock: [(server) => server.admin.userIdentities.lock({ body: { userId } }), wrong],
    removal: [(server) => server.admin.userIdentities.remove({ params: { id: userId } }), wrong],
    'lock and unlock': [
      async (server) => {
        await server.admin.userIdentities.lock({ body: { userId } });
        await server.admin.userIdentities.unlock({ body: { userId } });
      },
      { status: 401, code: 'TOKEN_INVALID' },
    ],
    'new password': [
      async (server) => reset(server, await recoveryCode(server), { newPassword: 'set by a code meanwhile' }),
      wrong,
    ],
  };
  test.each(Object.keys(events))('a %s stops the change', async (event) => {
    await using server = await startWith();
    const user = await createSession(server, userId);
    const { hash } = server.appContext.passwords;
    replacePasswords(server, {
      hash: async (secret, flow) => {
        replacePasswords(server, { hash });
        const created = await hash(secret, flow);
        await events[event]?.[0](server);
        return created;
      },
    });
    await expect(change(user)).rejects.toMatchObject(events[event]?.[1] ?? {});
    for (const row of await server.appContext.store.users.list())
      expect(await verifyPasswordHash(newPassword, row.passwordHash ?? '')).toBe(false);
  });
});
