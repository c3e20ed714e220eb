import { expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { rowOf } from './callers.ts';
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
