import { describe, expect, test } from 'vitest';
import { asUser } from '../user-token.ts';
import { membersIn } from './bodies.ts';
import { callerWith, expectRejection, insertMembers, makeUsers, startWithMembers } from './member-fixtures.ts';
import { testMemberRemoval } from './removals.ts';

const id = 'user-accesses.remove-user';
const from = (groupName: string, userId: string) => ({ params: { groupName, userId } });
const user = (memberId: string) => ({ kind: 'user', memberId }) as const;

test('removes one user, by the name or the id of the group, and nothing else', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [user('p1'), user('p2'), { kind: 'business', memberId: 'p1' }]);
  await insertMembers(server, 'leads', [user('p1')]);
  await expect(server.admin.userAccesses.removeUser(from('plain', 'p1'))).resolves.toBeUndefined();
  expect(await membersIn(server)).toEqual(['p1', 'p2']);
  expect(await membersIn(server, 'leads')).toEqual(['p1']);
  const group = await server.appContext.store.groups.getBy('groupName', 'plain');
  await server.admin.userAccesses.removeUser(from(group?.groupId ?? '', 'p2'));
  await expect(server.admin.userAccesses.listUsers({ params: { groupName: 'plain' } })).resolves.toEqual({ items: [] });
});

test('removes the roles at once, also from issued tokens', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { userId: 'u', roles: ['IAM_ADMIN_READ_ONLY'] });
  await caller.groups.list();
  await server.admin.userAccesses.removeUser(from('roles-of-u', 'u'));
  await expect(caller.groups.list()).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
});

testMemberRemoval({ id, from, member: user, administrators: { status: 200, make: makeUsers } });

describe('a client without AUTH-MFA', () => {
  const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };

  test('cannot change groups that grant administrator roles, through any role or dependency', async () => {
    await using server = await startWithMembers();
    for (const role of ['ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY', 'IAM_ADMIN_OF_THINGS']) {
      await server.admin.groups.create({ body: { groupName: role, roles: [role] } });
      const outer = { groupName: `with ${role}`, dependencies: [{ groupName: role }] };
      await server.admin.groups.create({ body: outer });
      for (const groupName of [role, outer.groupName]) {
        await insertMembers(server, groupName, [user('p1')]);
        const caller = await server.withAuthorities([]);
        await expectRejection(server, () => caller.call(id, from(groupName, 'p1')), rejected);
      }
    }
    const caller = await server.withAuthorities([]);
    await insertMembers(server, 'leads', [user('p1')]);
    await caller.userAccesses.removeUser(from('leads', 'p1'));
  });

  test('has the same limit if it has administrator roles', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'maintainers', [user('p1')]);
    const roles = ['CLI-1STPARTY', 'AUTH-BASIC', 'ADMIN', 'IAM_ADMIN_MAINTENANCE'];
    const caller = await callerWith(server, roles);
    await expectRejection(server, () => caller.call(id, from('maintainers', 'p1')), rejected);
    const authenticated = await callerWith(server, [...roles, 'AUTH-MFA']);
    await authenticated.userAccesses.removeUser(from('maintainers', 'p1'));
  });

  test('does not extend the rights of the users who send requests through it', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [user('p1')]);
    const caller = await asUser(server, { roles: ['ADMIN'], level: 'AUTH-BASIC' });
    await expectRejection(server, () => caller.call(id, from('plain', 'p1')), { status: 401, code: 'ROLE_MISSING' });
    const authenticated = await asUser(server, { roles: ['ADMIN'], level: 'AUTH-MFA' });
    await authenticated.userAccesses.removeUser(from('plain', 'p1'));
  });
});
