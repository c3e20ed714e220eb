import { describe, expect, test } from 'vitest';
import { ClientError, type IamClient } from '../../../../src/client/index.ts';
import type { TestServer } from '../../../harness.ts';
import { messagesTo } from '../otp-inbox.ts';
import { asUser } from '../user-token.ts';
import { createSession, expectRejected, rowOf } from './callers.ts';
import { newPassword, signUp, signUpCode } from './flows.ts';
import { alice, countHashes, logIn, replacePasswords, startWith } from './login-fixtures.ts';

const carol = { userId: 'carol', userName: 'carol', userEmail: 'carol@example.com' };
const create = (as: IamClient, input = newPassword) =>
  as.userIdentities.createPassword({ body: { newPassword: input } });

test('sets the first password of a user, keeps its sessions and sends a notice', async () => {
  await using server = await startWith([carol]);
  const user = await createSession(server, 'carol', 'AUTH-BASIC');
  expect(await create(user)).toEqual({});
  await expect(logIn(server, { name: 'carol', secret: newPassword })).resolves.toBeDefined();
  await expect(user.userIdentities.get({ params: { id: 'carol' } })).resolves.toBeDefined();
  expect(await messagesTo(server)).toMatchObject([{ to: carol.userEmail, purpose: 'password-changed' }]);
});

test('works after sign-up with a verified contact', async () => {
  await using server = await startWith();
  const response = await signUp(server, { token: await signUpCode(server) });
  const { accessToken } = response.json as { accessToken: string };
  expect(await create(server.as({ token: accessToken }))).toEqual({});
  await expect(logIn(server, { name: 'bob@example.com', secret: newPassword })).resolves.toBeDefined();
});

test('stores the exact password that was sent', async () => {
  await using server = await startWith([carol]);
  const exact = ' Caf\u00e9 au lait \u0001 ';
  await create(await createSession(server, 'carol'), exact);
  for (const other of [exact.trim(), exact.toLowerCase(), ' Caf\u00e9 au lait '])
    await expect(logIn(server, { name: 'carol', secret: other })).rejects.toMatchObject({ status: 401 });
  await expect(logIn(server, { name: 'carol', secret: exact })).resolves.toBeDefined();
});

describe('access', () => {
  test('is granted to users from AUTH-IDENTIFIED on, including leads', async () => {
    await using server = await startWith();
    for (const level of ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'] as const)
      expect(await create(await asUser(server, { level, lead: true }))).toEqual({});
  });
});

describe('rejects and leaves the store unchanged:', () => {
  test('a user who has a password, even if the new one is weak', async () => {
    await using server = await startWith();
    const user = await createSession(server, alice.userId);
    const hashes = countHashes(server);
    for (const input of [newPassword, 'q9 fj'])
      await expectRejected(server, () => create(user, input), { status: 412, code: 'PASSWORD_EXISTS' });
    expect(hashes.count).toBe(0);
  });

  test('a weak password, with one error for each rule and without hashing it', async () => {
    await using server = await startWith([carol]);
    const user = await createSession(server, 'carol');
    const hashes = countHashes(server);
    const weak: [string, string[]][] = [
      ['Carol', ['PASSWORD_TOO_SHORT', 'PASSWORD_COMMON', 'PASSWORD_CONTEXT']],
      ['qwertyuiop', ['PASSWORD_COMMON']],
      ['x'.repeat(129), ['PASSWORD_TOO_LONG']],
      [`${'x'.repeat(129)}carol`, ['PASSWORD_TOO_LONG', 'PASSWORD_CONTEXT']],
      ['x'.repeat(900_000), ['FIELD_VALUE']],
    ];
    const before = await server.dump();
    for (const [input, codes] of weak) {
      const failure = await create(user, input).catch((error: unknown) => error);
      expect(failure, input.slice(0, 20)).toBeInstanceOf(ClientError);
      const { status, items } = failure as ClientError;
      expect([status, items.map(({ code }) => code)]).toEqual([422, codes]);
    }
    expect(await server.dump()).toEqual(before);
    expect(hashes.count).toBe(0);
  });
});

test('accepts one of 100 concurrent requests', async () => {
  await using server = await startWith([carol]);
  const user = await createSession(server, 'carol');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => create(user, `${newPassword} ${at}`)),
  );
  const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
  expect(winners).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 412, code: 'PASSWORD_EXISTS' });
  await expect(logIn(server, { name: 'carol', secret: `${newPassword} ${winners[0]}` })).resolves.toBeDefined();
  expect(await messagesTo(server)).toHaveLength(1);
});

describe('while the password is hashed', () => {
  const events: Record<string, (server: TestServer) => Promise<unknown>> = {
    lock: (server) => server.admin.userIdentities.lock({ body: { userId: 'carol' } }),
    removal: (server) => server.admin.userIdentities.remove({ params: { id: 'carol' } }),
    'lock and unlock': async (server) => {
      await server.admin.userIdentities.lock({ body: { userId: 'carol' } });
      await server.admin.userIdentities.unlock({ body: { userId: 'carol' } });
    },
  };
  test.each(Object.keys(events))('a %s stops the request', async (event) => {
    await using server = await startWith([carol]);
    const user = await createSession(server, 'carol');
    const { hash } = server.appContext.passwords;
    replacePasswords(server, {
      hash: async (secret, flow) => {
        await events[event]?.(server);
        return hash(secret, flow);
      },
    });
    await expect(create(user)).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    if (event !== 'removal') expect(await rowOf(server, 'carol')).not.toHaveProperty('passwordHash');
  });
});
