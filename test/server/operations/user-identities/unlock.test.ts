import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { asUser } from '../user-token.ts';
import {
  asMaintainer,
  expectRejected,
  expectRolesNeeded,
  firstAdministrator,
  rowOf,
  startWithAdministrators,
} from './callers.ts';
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

  test('is granted to maintainers and to authenticated first-party clients with the scope', async () => {
    await using server = await startWith();
    const callers = [
      await asMaintainer(server),
      await server.withAuthorities(['AUTH-BASIC', 'IAM_ADMIN_MAINTENANCE']),
      await server.withAuthorities([], { scope }),
    ];
    for (const caller of callers) await expect(unlock(caller)).resolves.toEqual({});
  });

  test('is denied without one of the roles', async () => {
    await using server = await startWith();
    await server.admin.userIdentities.lock({ body: { userId } });
    await expectRolesNeeded(server, unlock);
    const client = await server.makeClient({ scope });
    const others = [
      server.as({ basic: await server.makeClient({ scope, party: '3RDPARTY' }) }),
      await server.withAuthorities([], { scope: ['account_lock'] }),
      await asUser(server, { clientId: client.clientId, roles: ['ADMIN'], level: 'AUTH-MFA' }),
    ];
    for (const other of others)
      await expectRejected(server, () => unlock(other), { status: 403, code: 'ROLE_MISSING' });
  });

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
