import { describe, expect, test } from 'vitest';
import { membersIn } from '../user-accesses/bodies.ts';
import {
  callerWith,
  expectRejection,
  insertMembers,
  makeUsers,
  startWithMembers,
} from '../user-accesses/member-fixtures.ts';
import { testMemberRemoval } from '../user-accesses/removals.ts';
import { asUser } from '../user-token.ts';

const id = 'business-accesses.remove-business';
const from = (groupId: string, businessId: string) => ({ params: { groupId, businessId } });
const business = (memberId: string) => ({ kind: 'business', memberId }) as const;

test('removes the membership of one business and leaves the business users in the group', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [
    business('a'),
    business('b'),
    { kind: 'businessUser', memberId: 'a1', businessId: 'a' },
  ]);
  await expect(server.admin.businessAccesses.removeBusiness(from('plain', 'a'))).resolves.toBeUndefined();
  expect(await membersIn(server)).toEqual(['b', 'a1']);
});

testMemberRemoval({
  id,
  from,
  member: business,
  ofBusiness: 'a',
  administrators: {
    status: 200,
    make: async (server, businessIds) => {
      for (const businessId of businessIds) await makeUsers(server, [`of-${businessId}`], { businessId });
    },
  },
});

describe('callers of a business', () => {
  const rejected = { status: 404, code: 'BUSINESS_NOT_FOUND' };

  test('remove their own business, but no other', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [business('b')]);
    for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
      await insertMembers(server, 'plain', [business('a')]);
      const caller = await asUser(server, { roles: [role], businessId: 'a' });
      await expectRejection(server, () => caller.call(id, from('plain', 'b')), rejected);
      await caller.businessAccesses.removeBusiness(from('plain', 'a'));
    }
    expect(await membersIn(server)).toEqual(['b']);
  });

  test('are restricted to it also with IAM_ADMIN_READ_ONLY', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [business('b')]);
    const caller = await callerWith(server, ['CLI-1STPARTY', 'AUTH-BASIC', 'BUSINESSOWNER', 'IAM_ADMIN_READ_ONLY']);
    await expectRejection(server, () => caller.call(id, from('plain', 'b')), rejected);
  });
});
