import { expect, test } from 'vitest';
import { expectRejection, insertMembers, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { asUser } from '../user-token.ts';

const id = 'business-accesses.list-business-roles';
const of = (businessId: string) => ({ params: { businessId } });

test('returns the roles that the business grants to all its users, and the groups that grant them', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'leads', [{ kind: 'business', memberId: 'a' }]);
  await insertMembers(server, 'deployers', [{ kind: 'business', memberId: 'a' }]);
  await insertMembers(server, 'maintainers', [
    { kind: 'businessUser', memberId: 'a1', businessId: 'a' },
    { kind: 'user', memberId: 'a' },
    { kind: 'business', memberId: 'b' },
  ]);
  await expect(server.admin.businessAccesses.listBusinessRoles(of('a'))).resolves.toEqual([
    { role: 'APPROVE', groupNames: ['leads'] },
    { role: 'DEPLOY', groupNames: ['deployers', 'leads'] },
  ]);
});

test('returns only the own business to its owner or administrator, and every business to a service administrator', async () => {
  await using server = await startWithMembers();
  for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
    const caller = await asUser(server, { roles: [role], businessId: 'a' });
    await expect(caller.businessAccesses.listBusinessRoles(of('a'))).resolves.toEqual([]);
    await expectRejection(server, () => caller.call(id, of('b')), { status: 404, code: 'BUSINESS_NOT_FOUND' });
  }
  const auditor = await asUser(server, { roles: ['BUSINESSADMIN', 'IAM_ADMIN_READ_ONLY'], businessId: 'a' });
  await expect(auditor.businessAccesses.listBusinessRoles(of('b'))).resolves.toEqual([]);
});
