import { describe, expect, test } from 'vitest';
import { asUser } from '../user-token.ts';
import { membersIn, testMemberBodies } from './bodies.ts';
import { callerWith, expectRejection, makeUsers, startWithMembers } from './member-fixtures.ts';

const id = 'user-accesses.add-business-user';
const to = (businessId: string, userIds: readonly string[], groupName = 'plain') => ({
  params: { groupName, businessId },
  body: userIds.map((userId) => ({ userId })),
});

testMemberBodies({
  id,
  params: (groupName) => ({ groupName, businessId: 'a' }),
  field: 'userId',
  known: ['a1', 'a2'],
  unknownCode: 'USER_NOT_OF_BUSINESS',
  make: (server, ids) => makeUsers(server, ids, { businessId: 'a' }),
});

test('adds business users, whether or not the business is in the group', async () => {
  await using server = await startWithMembers();
  await server.admin.userAccesses.addBusinessUser(to('a', ['a1']));
  const rows = await server.appContext.store.memberships.find('member', 'businessUser/a/a1');
  expect(rows).toEqual([{ groupId: expect.any(String), kind: 'businessUser', businessId: 'a', memberId: 'a1' }]);
});

test('rejects users of another business or of none like unknown users', async () => {
  await using server = await startWithMembers();
  const expected = { status: 422, code: 'USER_NOT_OF_BUSINESS' };
  for (const userId of ['b1', 'p1', 'unknown']) {
    const failure = await expectRejection(server, () => server.admin.call(id, to('a', ['a1', userId])), expected);
    expect(failure.items).toEqual([{ code: expected.code, message: `Business a has no user ${userId}.` }]);
  }
});

describe('own business only', () => {
  const rejected = { status: 404, code: 'BUSINESS_NOT_FOUND' };

  test('is accepted from its owner or administrator', async () => {
    await using server = await startWithMembers();
    for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
      const caller = await asUser(server, { roles: [role], businessId: 'a' });
      await expectRejection(server, () => caller.call(id, to('b', ['b1'])), rejected);
      await expectRejection(server, () => caller.call(id, to('unknown', ['b1'])), rejected);
      await caller.userAccesses.addBusinessUser(to('a', ['a1']));
    }
    expect(await membersIn(server)).toEqual(['a1']);
  });

  test('restricts an auditor who is also administrator of a business', async () => {
    await using server = await startWithMembers();
    const roles = ['CLI-1STPARTY', 'AUTH-BASIC', 'BUSINESSADMIN', 'IAM_ADMIN_READ_ONLY'];
    const caller = await callerWith(server, roles);
    await expectRejection(server, () => caller.call(id, to('b', ['b1'])), rejected);
  });

  test('rejects an administrator who makes itself an owner, but accepts an owner who adds administrators', async () => {
    await using server = await startWithMembers();
    const roles = ['BUSINESSADMIN', 'BUSINESSUSER'];
    const administrator = await asUser(server, { userId: 'u', roles, businessId: 'a' });
    const request = () => administrator.call(id, to('a', ['u'], 'business-owners'));
    await expectRejection(server, request, { status: 404, code: 'GROUP_NOT_FOUND' });
    const owner = await asUser(server, { roles: ['BUSINESSOWNER', ...roles], businessId: 'a' });
    await owner.userAccesses.addBusinessUser(to('a', ['a1'], 'business-admins'));
    expect(await membersIn(server, 'business-admins')).toEqual(['a1']);
  });
});
