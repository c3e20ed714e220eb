import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { createSession, expectRejected, firstAdministrator, startWithAdministrators } from './callers.ts';
import { alice, logIn, loginEndpoints, password, startWith } from './login-fixtures.ts';

const { userId } = alice;
const remove = (as: IamClient, id: string = userId) => as.userIdentities.remove({ params: { id } });

describe('a removed user', () => {
  test('is deleted with all that belongs to it and nothing else', async () => {
    const groups = [
      {
        groupName: 'team',
        users: ['bob', userId],
        businesses: ['b1'],
        businessUsers: [
          { businessId: 'b1', userId: 'bob' },
          { businessId: 'b1', userId: 'eve' },
        ],
      },
    ];
    const people = ['bob', 'eve'].map((id) => ({ userId: id, userName: id, businessId: 'b1' }));
    const businesses = [{ businessId: 'b1', businessName: 'One' }];
    await using server = await startWith(people, { seed: { businesses, groups } });
    const { store, clock } = server.appContext;
    const createdAt = clock.now().toISOString();
    await store.transaction(async (tx) => {
      await tx.customers.insert({ customerId: 1, document: '1', userId: 'bob', createdAt });
      await tx.customers.insert({ customerId: 2, document: '2', businessId: 'b1', createdAt });
    });
    await createSession(server, 'bob');
    await createSession(server, 'eve');
    await expect(remove(server.admin, 'bob')).resolves.toBeUndefined();
    const members = (await store.memberships.list()).map(({ kind, memberId }) => `${kind} ${memberId}`);
    expect(members).toEqual(expect.arrayContaining(['business b1', 'businessUser eve', `user ${userId}`]));
    expect(members.join()).not.toContain('bob');
    expect((await store.sessions.list()).map((session) => session.userId)).toEqual(['eve']);
    expect((await store.customers.list()).map(({ customerId }) => customerId)).toEqual([2]);
    expect(await store.users.get('bob')).toBeUndefined();
    expect(JSON.stringify(await store.subjects.list())).not.toContain('bob');
  });

  test('is rejected at every login and with every token, and cannot be removed again', async () => {
    await using server = await startWith();
    const user = await createSession(server, userId);
    await remove(server.admin);
    await expect(user.userIdentities.get({ params: { id: userId } })).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    for (const endpoint of Object.values(loginEndpoints))
      expect((await endpoint(server, alice.userName, password)).status).toBeGreaterThanOrEqual(400);
    await expectRejected(server, () => remove(server.admin), { status: 404, code: 'USER_NOT_FOUND' });
  });

  test('keeps its clients, which can no longer authenticate', async () => {
    await using server = await startWith();
    const basic = await server.makeClient({ userId });
    await remove(server.admin);
    await expect(server.as({ basic }).groups.list()).rejects.toMatchObject({
      status: 401,
      code: 'CREDENTIALS_INVALID',
    });
  });

  test('frees its names at once', async () => {
    await using server = await startWith([{ userId: 'bob', userName: 'bob' }]);
    await remove(server.admin);
    const body = { userName: alice.userName, userEmail: alice.userEmail };
    await expect(server.admin.userIdentities.update({ params: { id: 'bob' }, body })).resolves.toBeUndefined();
    await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
  });
});

describe('rejects', () => {
  test('the last administrator who can sign in, including the caller', async () => {
    await using server = await startWithAdministrators();
    await server.admin.userIdentities.lock({ body: { userId: 'carol' } });
    for (const caller of [server.admin, await createSession(server, userId)])
      await expectRejected(server, () => remove(caller), { status: 412, code: 'LAST_ADMINISTRATOR' });
    await expect(remove(server.admin, 'carol')).resolves.toBeUndefined();
  });

  test('no administrators who could not sign in anyway', async () => {
    await using server = await startWith([{ userId: 'dan', userName: 'dan' }], {
      seed: { groups: [{ groupName: 'iam-administrators', users: ['dan'] }] },
    });
    await expect(remove(server.admin, 'dan')).resolves.toBeUndefined();
    const { userId: first } = await firstAdministrator(server);
    await expectRejected(server, () => remove(server.admin, first), { status: 412, code: 'LAST_ADMINISTRATOR' });
  });
});
