import { expect, test } from 'vitest';
import { expectRejection, insertMembers, startWithMembers } from './member-fixtures.ts';

const id = 'user-accesses.list-user-roles';
const of = (userId: string, businessId?: string) => ({
  params: { userId },
  query: businessId === undefined ? {} : { businessId },
});

test('returns each role once with the groups that grant it, in order', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'leads', [{ kind: 'user', memberId: 'p1' }]);
  await insertMembers(server, 'deployers', [{ kind: 'user', memberId: 'p1' }]);
  await insertMembers(server, 'plain', [{ kind: 'user', memberId: 'p1' }]);
  await expect(server.admin.userAccesses.listUserRoles(of('p1'))).resolves.toEqual([
    { role: 'APPROVE', groupNames: ['leads'] },
    { role: 'DEPLOY', groupNames: ['deployers', 'leads'] },
  ]);
  await expect(server.admin.userAccesses.listUserRoles(of('p2'))).resolves.toEqual([]);
});

test('includes the roles through the business of the user, and only those with businessId', async () => {
  await using server = await startWithMembers();
  await server.admin.groups.create({ body: { groupName: 'of-business', roles: ['WORK'] } });
  await insertMembers(server, 'of-business', [{ kind: 'business', memberId: 'a' }]);
  await insertMembers(server, 'deployers', [{ kind: 'businessUser', memberId: 'a1', businessId: 'a' }]);
  await insertMembers(server, 'leads', [
    { kind: 'user', memberId: 'a1' },
    { kind: 'businessUser', memberId: 'a1', businessId: 'b' },
    { kind: 'businessUser', memberId: 'a2', businessId: 'a' },
  ]);
  await insertMembers(server, 'maintainers', [{ kind: 'business', memberId: 'b' }]);
  const inItsName = [
    { role: 'DEPLOY', groupNames: ['deployers'] },
    { role: 'WORK', groupNames: ['of-business'] },
  ];
  await expect(server.admin.userAccesses.listUserRoles(of('a1', 'a'))).resolves.toEqual(inItsName);
  await expect(server.admin.userAccesses.listUserRoles(of('a1'))).resolves.toEqual([
    { role: 'APPROVE', groupNames: ['leads'] },
    { role: 'DEPLOY', groupNames: ['deployers', 'leads'] },
    { role: 'WORK', groupNames: ['of-business'] },
  ]);
});

test('returns 404 for businesses of other users', async () => {
  await using server = await startWithMembers();
  const expected = { status: 404, code: 'USER_NOT_FOUND' };
  for (const businessId of ['b', '', 'a b', 'x'.repeat(100)])
    await expectRejection(server, () => server.admin.call(id, of('a1', businessId)), expected);
  await expectRejection(server, () => server.admin.call(id, of('p1', 'a')), expected);
});
