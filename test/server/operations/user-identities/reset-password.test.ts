import { describe, expect, test } from 'vitest';
import { verifyPasswordHash } from '../../../../src/server/users/passwords.ts';
import type { TestServer } from '../../../harness.ts';
import { createWrongCode, lastCode, messagesTo, readText } from '../otp-inbox.ts';
import { createSession, rowOf } from './callers.ts';
import { newPassword, recoveryCode, rejectedCode, reset, retrieve } from './flows.ts';
import {
  type ApiResponse,
  alice,
  countHashes,
  logIn,
  password,
  replacePasswords,
  startWith,
} from './login-fixtures.ts';

describe('a correct code', () => {
  test('sets the password and returns the user id', async () => {
    await using server = await startWith();
    const code = await recoveryCode(server);
    expect(await reset(server, code)).toMatchObject({ status: 201, json: { userId: alice.userId } });
    await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
    await expect(logIn(server, { secret: newPassword })).resolves.toBeDefined();
  });

  test.each([alice.userId, 'ALICE', 'aLiCe@Example.com', 'Alice.Smith'])(
    'is accepted with any login identifier: %s',
    async (username) => {
      await using server = await startWith();
      expect(await reset(server, await recoveryCode(server), { username })).toMatchObject({ status: 201 });
    },
  );

  test('sets a password for a user without one', async () => {
    await using server = await startWith([{ userId: 'carol', userName: 'carol', userEmail: 'carol@example.com' }]);
    await retrieve(server, 'carol');
    const code = await lastCode(server, 'carol@example.com');
    expect(await reset(server, code, { username: 'carol' })).toMatchObject({ status: 201 });
    await expect(logIn(server, { name: 'carol', secret: newPassword })).resolves.toBeDefined();
  });

  test('ends all sessions, tokens, refresh tokens and codes of the user and of no other user', async () => {
    await using server = await startWith([{ userId: 'carol', userName: 'carol' }]);
    const remembered = await logIn(server, { remember: true });
    const [user, carol] = [await createSession(server, alice.userId), await createSession(server, 'carol')];
    await reset(server, await recoveryCode(server));
    for (const as of [user, server.as({ token: remembered.accessToken })])
      await expect(as.userIdentities.get({ params: { id: alice.userId } })).rejects.toMatchObject({ status: 401 });
    const { sessions, refreshTokens } = server.appContext.store;
    expect(await sessions.find('userId', alice.userId)).toEqual([]);
    expect(await refreshTokens.count()).toBe(0);
    await expect(carol.userIdentities.get({ params: { id: 'carol' } })).resolves.toBeDefined();
  });

  test('sends a notice without code and password to the contacts of the user', async () => {
    await using server = await startWith();
    await reset(server, await recoveryCode(server));
    const notice = (await messagesTo(server, alice.userEmail)).at(-1);
    expect(notice).toMatchObject({ purpose: 'password-changed' });
    expect(notice && readText(server, notice)).toMatch(
      /^The password of your account was changed\. These contacts of your account receive codes: a\*\*\*@example\.com\. If/,
    );
    expect(notice).not.toHaveProperty('sealedCode');
  });

  test('clears failed logins, since the caller verified a contact', async () => {
    await using server = await startWith();
    for (let guess = 0; guess < 10; guess += 1) await logIn(server, { secret: 'x'.repeat(200) }).catch(() => {});
    await expect(logIn(server)).rejects.toMatchObject({ status: 429 });
    await reset(server, await recoveryCode(server));
    await expect(logIn(server, { secret: newPassword })).resolves.toBeDefined();
  });

  test('is consumed, and its reuse does not count as a failure', async () => {
    await using server = await startWith();
    const code = await recoveryCode(server);
    await reset(server, code);
    for (let again = 0; again < 7; again += 1) expect(await reset(server, code)).toMatchObject(rejectedCode);
    expect(await verifyPasswordHash(newPassword, (await rowOf(server)).passwordHash ?? '')).toBe(true);
  });
});

describe('a weak password', () => {
  const weak: [string, string[]][] = [
    ['q9 fj', ['PASSWORD_TOO_SHORT']],
    ['', ['PASSWORD_TOO_SHORT']],
    ['ALICE', ['PASSWORD_TOO_SHORT', 'PASSWORD_COMMON', 'PASSWORD_CONTEXT']],
    ['x'.repeat(129), ['PASSWORD_TOO_LONG']],
    ['iloveyou', ['PASSWORD_COMMON']],
    ['dear alice 77', ['PASSWORD_CONTEXT']],
    ['x'.repeat(1001), ['FIELD_VALUE']],
  ];

  test('is rejected with one error for each rule, without hashing it or consuming the code', async () => {
    await using server = await startWith();
    const code = await recoveryCode(server);
    const hashes = countHashes(server);
    const before = await server.dump();
    for (const [input, codes] of weak) {
      const { status, json } = await reset(server, code, { newPassword: input });
      expect([status, (json as { code: string }[]).map((item) => item.code)], input.slice(0, 20)).toEqual([422, codes]);
    }
    expect(await server.dump()).toEqual(before);
    expect(hashes.count).toBe(0);
    expect(await reset(server, code)).toMatchObject({ status: 201 });
    expect(hashes.count).toBe(1);
  });

  test('is not checked before the code', async () => {
    await using server = await startWith();
    const code = await recoveryCode(server);
    expect(await reset(server, createWrongCode(code), { newPassword: 'q9 fj' })).toMatchObject(rejectedCode);
    expect(await reset(server, code, { username: 'unknown', newPassword: 'q9 fj' })).toMatchObject(rejectedCode);
  });
});

describe('a request without a valid code', () => {
  test('returns the same status, body and headers in all cases, and hashes no password', async () => {
    await using server = await startWith([
      { userId: 'locked', userName: 'locked', userEmail: 'l@example.com', locked: true },
      { userId: 'silent', userName: 'silent' },
      { userId: 'requested', userName: 'requested', userEmail: 'requested@example.com' },
    ]);
    for (const name of ['requested', 'locked', 'silent', 'unknown']) await retrieve(server, name);
    const used = await recoveryCode(server);
    await reset(server, used);
    const hashes = countHashes(server);
    const wrong = createWrongCode(await lastCode(server, 'requested@example.com'));
    const tries: [string, string][] = [
      ['Alice', used],
      ['requested', wrong],
      ['requested', 'no code at all'],
      ['requested', ''],
      ['locked', wrong],
      ['silent', wrong],
      ['unknown', wrong],
      ['never requested', wrong],
    ];
    const responses: ApiResponse[] = [];
    for (const [username, code] of tries) responses.push(await reset(server, code, { username }));
    expect(responses[0]).toMatchObject(rejectedCode);
    expect(responses).toEqual(tries.map(() => responses[0]));
    expect(hashes.count).toBe(0);
  });

  test('is throttled for an hour after five wrong codes, for known and unknown users', async () => {
    await using server = await startWith([
      { userId: 'locked', userName: 'locked', locked: true },
      { userId: 'silent', userName: 'silent' },
    ]);
    const codes: Record<string, string> = {};
    for (const username of ['Alice', 'locked', 'silent', 'unknown']) {
      const responses: ApiResponse[] = [];
      for (let guess = 0; guess < 6; guess += 1) {
        if (guess < 5) await retrieve(server, username);
        const wrong = username === 'Alice' ? createWrongCode(await lastCode(server, alice.userEmail)) : '123456';
        responses.push(await reset(server, wrong, { username }));
      }
      codes[username] = responses.map(({ status, text, headers }) => JSON.stringify([status, text, headers])).join();
      expect(responses.map(({ status }) => status)).toEqual([412, 412, 412, 412, 412, 429]);
      expect(responses[5]).toMatchObject({ json: [{ code: 'CODE_FAILURES' }], headers: { 'retry-after': '3600' } });
    }
    expect(new Set(Object.values(codes)).size).toBe(1);
    expect(await reset(server, await lastCode(server, alice.userEmail))).toMatchObject({ status: 429 });
    server.clock.advance(3600);
    expect(await reset(server, await recoveryCode(server))).toMatchObject({ status: 201 });
  });
});

describe('between the steps', () => {
  const { userId } = alice;
  const events: Record<string, (server: TestServer) => Promise<unknown>> = {
    lock: (server) => server.admin.userIdentities.lock({ body: { userId } }),
    'lock and unlock': async (server) => {
      await server.admin.userIdentities.lock({ body: { userId } });
      await server.admin.userIdentities.unlock({ body: { userId } });
    },
    removal: (server) => server.admin.userIdentities.remove({ params: { id: userId } }),
    'new password': async (server) => {
      const user = await createSession(server, userId, 'AUTH-BASIC');
      await user.userIdentities.changePassword({ body: { password, newPassword: 'another one of hers' } });
    },
  };

  test.each(Object.keys(events))('a %s after the code was sent voids the code', async (event) => {
    await using server = await startWith();
    const code = await recoveryCode(server);
    await events[event]?.(server);
    const before = await server.appContext.store.users.list();
    expect(await reset(server, code)).toMatchObject(rejectedCode);
    expect(await server.appContext.store.users.list()).toEqual(before);
  });

  test.each(Object.keys(events))('a %s while the new password is hashed stops the reset', async (event) => {
    await using server = await startWith();
    const code = await recoveryCode(server);
    const { hash } = server.appContext.passwords;
    replacePasswords(server, {
      hash: async (secret, flow) => {
        replacePasswords(server, { hash });
        const created = await hash(secret, flow);
        await events[event]?.(server);
        return created;
      },
    });
    expect(await reset(server, code)).toMatchObject(rejectedCode);
    for (const user of await server.appContext.store.users.list())
      expect(await verifyPasswordHash(newPassword, user.passwordHash ?? '')).toBe(false);
  });

  test('a lock remains after a reset with a code that was sent before', async () => {
    await using server = await startWith();
    const code = await recoveryCode(server);
    await events.lock?.(server);
    await reset(server, code);
    expect(await rowOf(server)).toMatchObject({ locked: true, passwordHash: alice.passwordHash });
  });
});

test('writes neither code nor password to the store or the log', async () => {
  await using server = await startWith();
  const code = await recoveryCode(server);
  const stored = async () => JSON.stringify(await server.dump()) + server.log.join('');
  const inPlain = new RegExp(`(?<![\\w-])${code}(?![\\w-])`);
  expect(await stored()).not.toMatch(inPlain);
  await reset(server, createWrongCode(code), { newPassword: 'a canary in the mine' });
  await reset(server, code, { newPassword: 'another canary in it' });
  expect(await stored()).not.toMatch(/canary/);
  expect(await stored()).not.toMatch(inPlain);
});
