import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { createSession, expectRejected, rowOf, startWithAdministrators } from './callers.ts';
import { alice, loginEndpoints, password, startWith } from './login-fixtures.ts';

const { userId } = alice;
const body = { userId, reason: 'left the company' };
const lock = (as: IamClient, more: object = {}) => as.userIdentities.lock({ body: { ...body, ...more } });

describe('a locked user', () => {
  test('is rejected at every login and keeps its data', async () => {
    await using server = await startWith();
    const before = await rowOf(server);
    await expect(lock(server.admin)).resolves.toEqual({});
    expect(await rowOf(server)).toEqual({ ...before, locked: true, lockReason: body.reason });
    for (const endpoint of Object.values(loginEndpoints))
      expect((await endpoint(server, alice.userName, password)).status).toBeGreaterThanOrEqual(400);
  });

  test('has no valid tokens from the next request on', async () => {
    await using server = await startWith();
    const user = await createSession(server, userId, 'AUTH-BASIC');
    const read = () => user.userIdentities.get({ params: { id: userId } });
    await expect(read()).resolves.toBeDefined();
    await lock(server.admin);
    await expect(read()).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });

  test('locks the clients that it owns: their secrets, tokens and keys', async () => {
    await using server = await startWith();
    const basic = await server.makeClient({ userId });
    const { accessToken } = await server.as({ basic }).clientIdentities.login();
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId: basic.clientId } });
    await lock(server.admin);
    for (const credentials of [{ basic }, { token: accessToken }, { apiKey }])
      await expect(server.as(credentials).groups.list()).rejects.toMatchObject({ status: 401 });
  });

  test('can be locked again with the same or another reason', async () => {
    await using server = await startWith();
    await lock(server.admin);
    await server.admin.userIdentities.lock({ body: { userId } });
    expect(await rowOf(server)).toMatchObject({ locked: true, lockReason: body.reason });
    await lock(server.admin, { reason: 'fraud' });
    expect(await rowOf(server)).toMatchObject({ lockReason: 'fraud' });
  });
});

describe('rejects', () => {
  test('the own account, whatever roles the caller has', async () => {
    await using server = await startWithAdministrators();
    const self = await createSession(server, userId);
    await expectRejected(server, () => lock(self), { status: 412, code: 'LOCK_OF_SELF' });
    await expect(lock(self, { userId: 'carol' })).resolves.toEqual({});
  });

  test('the last administrator who can sign in', async () => {
    await using server = await startWithAdministrators();
    await lock(server.admin, { userId: 'carol' });
    await expectRejected(server, () => lock(server.admin), { status: 412, code: 'LAST_ADMINISTRATOR' });
  });
});
