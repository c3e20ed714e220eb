import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { asMaintainer, expectRejected, firstAdministrator, rowOf, startWithAdministrators } from './callers.ts';
import { alice, logIn, startWith } from './login-fixtures.ts';

const { userId } = alice;
const unlock = (as: IamClient, more: object = {}) => as.userIdentities.unlock({ body: { userId, ...more } });

test('unlocks the user and deletes the reason', async () => {
  await using server = await startWith();
  const before = await rowOf(server);
  await server.admin.userIdentities.lock({ body: { userId, reason: 'a mistake' } });
  await expect(unlock(server.admin)).resolves.toEqual({});
  expect(await rowOf(server)).toEqual(before);
  await expect(logIn(server)).resolves.toBeDefined();
});

test('clears failed logins of this user only', async () => {
  await using server = await startWith();
  for (const name of ['alice', 'unknown'])
    for (let guess = 0; guess < 10; guess += 1) await logIn(server, { name, secret: 'x'.repeat(200) }).catch(() => {});
  await expect(logIn(server)).rejects.toMatchObject({ status: 429 });
  await unlock(server.admin);
  await expect(logIn(server)).resolves.toBeDefined();
  await expect(logIn(server, { name: 'unknown' })).rejects.toMatchObject({ status: 429 });
});

test('changes nothing if the user is not locked', async () => {
  await using server = await startWith();
  const before = await server.dump();
  await expect(unlock(server.admin)).resolves.toEqual({});
  expect(await server.dump()).toEqual(before);
});

describe('access', () => {
  const scope = ['account_unlock'];

  test('requires MFA of an administrator, for locked and throttled users', async () => {
    await using server = await startWithAdministrators();
    await server.admin.userIdentities.lock({ body: { userId } });
    for (const caller of [await asMaintainer(server), await server.withAuthorities([], { scope })])
      for (const administrator of [userId, 'carol'])
        await expectRejected(server, () => unlock(caller, { userId: administrator }), {
          status: 403,
          code: 'MFA_MISSING',
        });
    await expect(unlock(await asMaintainer(server, 'AUTH-MFA'))).resolves.toEqual({});
  });
});

test('rejects an unknown user and invalid values', async () => {
  await using server = await startWith();
  await expectRejected(server, () => unlock(server.admin, { userId: 'unknown' }), {
    status: 404,
    code: 'USER_NOT_FOUND',
  });
  for (const more of [{ userId: 7 }, { userId: '' }, { reason: 'none' }])
    await expect(unlock(server.admin, more)).rejects.toMatchObject({ status: 400 });
  await expect(unlock(server.admin, { userId: (await firstAdministrator(server)).userId })).resolves.toEqual({});
});
