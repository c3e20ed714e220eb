import { describe, expect, test } from 'vitest';
import { asUser } from '../user-token.ts';
import { membersIn } from './bodies.ts';
import { callerWith, expectRejection, insertMembers, makeUsers, startWithMembers } from './member-fixtures.ts';
import { testMemberRemoval } from './removals.ts';

const id = 'user-accesses.remove-business-user';
const from = (groupName: string, businessId: string, userId: string) => ({ params: { groupName, businessId, userId } });
const pair = (businessId: string, memberId: string) => ({ kind: 'businessUser', memberId, businessId }) as const;

test('removes one business user and nothing else', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [pair('a', 'a1'), pair('b', 'a1'), { kind: 'user', memberId: 'a1' }]);
  await expect(server.admin.userAccesses.removeBusinessUser(from('plain', 'a', 'a1'))).resolves.toBeUndefined();
  const { groupId } = (await server.appContext.store.groups.getBy('groupName', 'plain')) ?? { groupId: '' };
  expect(await server.appContext.store.memberships.find('group', groupId)).toMatchObject([
    { kind: 'businessUser', businessId: 'b' },
    { kind: 'user' },
  ]);
});

testMemberRemoval({
  id,
  from: (groupName, userId) => from(groupName, 'a', userId),
  member: (userId) => pair('a', userId),
  ofBusiness: 'a1',
  administrators: { status: 412, make: (server, userIds) => makeUsers(server, userIds, { businessId: 'a' }) },
});

test('accepts an administrator of a business for groups with roles that it has, and for itself in every group', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { userId: 'chief', roles: ['BUSINESSADMIN', 'DEPLOY'], businessId: 'a' });
  await insertMembers(server, 'deployers', [pair('a', 'a1')]);
  await insertMembers(server, 'leads', [pair('a', 'a1'), pair('a', 'chief')]);
  await caller.userAccesses.removeBusinessUser(from('deployers', 'a', 'a1'));
  await expectRejection(server, () => caller.call(id, from('leads', 'a', 'a1')), {
    status: 404,
    code: 'GROUP_NOT_FOUND',
  });
  await caller.userAccesses.removeBusinessUser(from('leads', 'a', 'chief'));
  expect(await membersIn(server, 'deployers')).toEqual([]);
  expect(await membersIn(server, 'leads')).toEqual(['a1']);
});

describe('own business only', () => {
  const rejected = { status: 404, code: 'BUSINESS_NOT_FOUND' };

  test('is accepted from its owner or administrator', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [pair('a', 'a1'), pair('a', 'a2'), pair('b', 'b1')]);
    for (const [role, userId] of [
      ['BUSINESSOWNER', 'a1'],
      ['BUSINESSADMIN', 'a2'],
    ] as const) {
      const caller = await asUser(server, { roles: [role], businessId: 'a' });
      await expectRejection(server, () => caller.call(id, from('plain', 'b', 'b1')), rejected);
      await caller.userAccesses.removeBusinessUser(from('plain', 'a', userId));
    }
    expect(await membersIn(server)).toEqual(['b1']);
  });

  test('restricts an auditor who is also administrator of a business', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [pair('b', 'b1')]);
    const caller = await callerWith(server, ['CLI-1STPARTY', 'AUTH-BASIC', 'BUSINESSADMIN', 'IAM_ADMIN_READ_ONLY']);
    await expectRejection(server, () => caller.call(id, from('plain', 'b', 'b1')), rejected);
  });
});
