import { describe, expect, test } from 'vitest';
import { asUser } from '../user-token.ts';
import { callerWith, expectRejection, insertMembers, startWithMembers } from './member-fixtures.ts';
import { testMemberPages } from './pages.ts';

const id = 'user-accesses.list-business-users';
const at = (businessId: string) => ({ params: { groupName: 'plain', businessId } });

testMemberPages({
  id,
  params: (groupName) => ({ groupName, businessId: 'a' }),
  member: (memberId) => ({ kind: 'businessUser', memberId, businessId: 'a' }),
  field: 'userId',
  badPaging: 'ignored',
});

describe('own business only', () => {
  const rejected = { status: 404, code: 'BUSINESS_NOT_FOUND' };

  test('is visible to its owner or administrator', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [{ kind: 'businessUser', memberId: 'a1', businessId: 'a' }]);
    for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
      const caller = await asUser(server, { roles: [role], businessId: 'a' });
      await expect(caller.userAccesses.listBusinessUsers(at('a'))).resolves.toEqual({ items: [{ userId: 'a1' }] });
      await expectRejection(server, () => caller.call(id, at('b')), rejected);
    }
  });

  test('is empty for an owner without a business', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { roles: ['BUSINESSOWNER'] });
    await expectRejection(server, () => caller.call(id, at('a')), rejected);
  });

  test('restricts a caller with an administrative role without access here, but not one with access', async () => {
    await using server = await startWithMembers();
    const common = ['CLI-1STPARTY', 'AUTH-BASIC', 'BUSINESSADMIN'];
    const maintainer = await callerWith(server, [...common, 'IAM_ADMIN_MAINTENANCE']);
    await expectRejection(server, () => maintainer.call(id, at('b')), rejected);
    const auditor = await callerWith(server, [...common, 'IAM_ADMIN_READ_ONLY']);
    await expect(auditor.call(id, at('b'))).resolves.toMatchObject({ status: 200 });
  });
});
