import { expect, test } from 'vitest';
import { expectRefusal, insertMembers, startWithMembers, testRoleSets } from '../user-accesses/member-fixtures.ts';
import { asUser } from '../user-token.ts';

const id = 'business-accesses.list-business-roles';
const of = (businessId: string) => ({ params: { businessId } });

testRoleSets(id, async () => of('a'));

test('tells what all users of the business have through it, and by which of its groups', async () => {
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

test('answers 404 for businesses that are not there', async () => {
  await using server = await startWithMembers();
  for (const businessId of ['A', 'nobody', 'constructor', '__proto__'])
    await expectRefusal(server, () => server.admin.call(id, of(businessId)), {
      status: 404,
      code: 'BUSINESS_NOT_FOUND',
    });
  await expectRefusal(server, () => server.admin.call(id, of('a b')), { status: 404, code: 'PATH_VALUE' });
});

test('shows an owner or administrator of a business its own one only, and an administrator of the service all', async () => {
  await using server = await startWithMembers();
  for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
    const caller = await asUser(server, { roles: [role], businessId: 'a' });
    await expect(caller.businessAccesses.listBusinessRoles(of('a'))).resolves.toEqual([]);
    const foreign = await expectRefusal(server, () => caller.call(id, of('b')), {
      status: 404,
      code: 'BUSINESS_NOT_FOUND',
    });
    const unknown = await expectRefusal(server, () => caller.call(id, of('x')), {
      status: 404,
      code: 'BUSINESS_NOT_FOUND',
    });
    expect(foreign.items).toEqual(unknown.items);
  }
  const auditor = await asUser(server, { roles: ['BUSINESSADMIN', 'IAM_ADMIN_READ_ONLY'], businessId: 'a' });
  await expect(auditor.businessAccesses.listBusinessRoles(of('b'))).resolves.toEqual([]);
});
