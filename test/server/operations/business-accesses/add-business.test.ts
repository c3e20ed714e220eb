import { describe, expect, test } from 'vitest';
import { membersIn, testMemberBodies } from '../user-accesses/bodies.ts';
import { callerWith, expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { asUser } from '../user-token.ts';

const id = 'business-accesses.add-business';
const to = (groupId: string, businessIds: readonly string[]) => ({
  params: { groupId },
  body: businessIds.map((businessId) => ({ businessId })),
});

testMemberBodies({
  id,
  params: (groupName) => ({ groupId: groupName }),
  field: 'businessId',
  known: ['a', 'b'],
  unknownCode: 'BUSINESS_UNKNOWN',
  make: (server, ids) =>
    server.appContext.store.transaction(async (tx) => {
      for (const businessId of ids) await tx.businesses.insert({ businessId, businessName: businessId });
    }),
});

test('grants the roles of the group to all users of the business, from their next token on', async () => {
  await using server = await startWithMembers();
  await server.admin.groups.create({ body: { groupName: 'auditors', roles: ['IAM_ADMIN_READ_ONLY'] } });
  await server.admin.businessAccesses.addBusiness(to('auditors', ['a']));
  await expect((await asUser(server, { businessId: 'a' })).groups.list()).resolves.toBeDefined();
  const other = await asUser(server, { businessId: 'b' });
  await expect(other.groups.list()).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
});

describe('callers of a business', () => {
  const rejected = { status: 404, code: 'BUSINESS_NOT_FOUND' };

  test('add their own business, but no list that contains another one', async () => {
    await using server = await startWithMembers();
    for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
      const caller = await asUser(server, { roles: [role], businessId: 'a' });
      for (const businessIds of [['b'], ['a', 'b'], ['unknown'], ['A']])
        await expectRejection(server, () => caller.call(id, to('plain', businessIds)), rejected);
      await caller.businessAccesses.addBusiness(to('plain', ['a']));
    }
    expect(await membersIn(server)).toEqual(['a']);
  });

  test('are restricted to it also with IAM_ADMIN_READ_ONLY, but not with ADMIN', async () => {
    await using server = await startWithMembers();
    const roles = ['CLI-1STPARTY', 'AUTH-BASIC', 'BUSINESSOWNER'];
    const auditor = await callerWith(server, [...roles, 'IAM_ADMIN_READ_ONLY']);
    await expectRejection(server, () => auditor.call(id, to('plain', ['b'])), rejected);
    const administrator = await callerWith(server, [...roles, 'ADMIN']);
    await administrator.businessAccesses.addBusiness(to('plain', ['b']));
  });

  test('cannot add it to a group with roles that they do not have', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { roles: ['BUSINESSADMIN'], businessId: 'a' });
    for (const groupId of ['iam-administrators', 'business-owners', 'deployers', 'leads'])
      await expectRejection(server, () => caller.call(id, to(groupId, ['a'])), {
        status: 404,
        code: 'GROUP_NOT_FOUND',
      });
  });
});
