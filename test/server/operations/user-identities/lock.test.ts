import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { hasAdministrator } from '../../../../src/server/directory/administrators.ts';
import type { TestServer } from '../../../harness.ts';
import {
  asMaintainer,
  createSession,
  expectRejected,
  firstAdministrator,
  rowOf,
  startWithAdministrators,
} from './callers.ts';
import { alice, logIn, loginEndpoints, password, startWith } from './login-fixtures.ts';

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

describe('access', () => {
  const scope = ['account_lock'];

  test('requires MFA of an administrator', async () => {
    await using server = await startWith();
    const more = { userId: (await firstAdministrator(server)).userId };
    for (const caller of [await asMaintainer(server), await server.withAuthorities([], { scope })])
      await expectRejected(server, () => lock(caller, more), { status: 403, code: 'MFA_MISSING' });
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

  test('an unknown user and invalid values', async () => {
    await using server = await startWith();
    await expectRejected(server, () => lock(server.admin, { userId: 'unknown' }), {
      status: 404,
      code: 'USER_NOT_FOUND',
    });
    for (const more of [{ userId: 7 }, { userId: 'a b' }, { reason: '' }, { reason: 'a\nb' }, { locked: false }])
      await expect(lock(server.admin, more), JSON.stringify(more)).rejects.toMatchObject({ status: 400 });
  });
});

describe('two administrators who lock or remove each other concurrently', () => {
  const variants: Record<string, (as: IamClient, other: string) => Promise<unknown>> = {
    lock: (as, other) => lock(as, { userId: other }),
    remove: (as, other) => as.userIdentities.remove({ params: { id: other } }),
  };
  const pairs = Object.keys(variants).flatMap((one) =>
    Object.keys(variants).map((other): [string, string] => [one, other]),
  );

  test.each(pairs)('with %s and %s: one of them remains', async (one, other) => {
    await using server = await startWithAdministrators();
    const [first, second] = [await createSession(server, userId), await createSession(server, 'carol')];
    const outcomes = await Promise.allSettled([variants[one]?.(first, 'carol'), variants[other]?.(second, userId)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await hasAdministrator(server.appContext.store)).toBe(true);
  });

  test('repeatedly', async () => {
    await using server = await startWithAdministrators();
    await expectAdministratorRemains(
      server,
      Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? 'carol' : userId)),
    );
  });
});

async function expectAdministratorRemains(server: TestServer, userIds: readonly string[]) {
  await Promise.allSettled(userIds.map((id) => lock(server.admin, { userId: id })));
  expect(await hasAdministrator(server.appContext.store)).toBe(true);
}

test('a lock during the login stops the login', async () => {
  await using server = await startWith();
  const [login] = await Promise.allSettled([logIn(server), lock(server.admin)]);
  const { accessToken = '' } = login.status === 'fulfilled' ? login.value : {};
  const pendingRead = server.as({ token: accessToken }).userIdentities.get({ params: { id: userId } });
  await expect(pendingRead).rejects.toMatchObject({ status: 401 });
});
