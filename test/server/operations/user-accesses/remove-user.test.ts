import { describe, expect, test } from 'vitest';
import { asUser } from '../user-token.ts';
import { membersIn } from './bodies.ts';
import {
  callerWith,
  createIds,
  expectOneRemaining,
  expectRejection,
  insertMembers,
  lockFirstAdministrator,
  makeUsers,
  startWithMembers,
} from './member-fixtures.ts';

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

test('returns 404 for a user who is not in the group and for unknown groups', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [user('p1'), { kind: 'businessUser', memberId: 'a1', businessId: 'a' }]);
  const notIn = { status: 404, code: 'MEMBERSHIP_NOT_FOUND' };
  for (const userId of ['p2', 'P1', 'a1', 'unknown', 'constructor', '__proto__'])
    await expectRejection(server, () => server.admin.call(id, from('plain', userId)), notIn);
  for (const groupName of ['Plain', 'unknown', 'constructor', '__proto__'])
    await expectRejection(server, () => server.admin.call(id, from(groupName, 'p1')), {
      status: 404,
      code: 'GROUP_NOT_FOUND',
    });
  await expectRejection(server, () => server.admin.call(id, from('plain', 'p 1')), { status: 404, code: 'PATH_VALUE' });
  await server.admin.userAccesses.removeUser(from('plain', 'p1'));
  await expectRejection(server, () => server.admin.call(id, from('plain', 'p1')), notIn);
});

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

test('rejects ADMIN for groups that grant an IAM_ADMIN role, but accepts groups with its own roles', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { roles: ['ADMIN', 'IAM_ADMIN_READ_ONLY'], level: 'AUTH-MFA' });
  await server.admin.groups.create({ body: { groupName: 'outer', dependencies: [{ groupName: 'iam-auditors' }] } });
  await server.admin.groups.create({ body: { groupName: 'admins', roles: ['ADMIN'] } });
  for (const group of ['maintainers', 'iam-auditors', 'outer']) {
    await insertMembers(server, group, [user('p1')]);
    const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };
    await expectRejection(server, () => caller.call(id, from(group, 'p1')), rejected);
  }
  for (const group of ['admins', 'leads']) {
    await insertMembers(server, group, [user('p1')]);
    await caller.userAccesses.removeUser(from(group, 'p1'));
  }
});

describe('last administrator', () => {
  test('is not removed: 200 with the error array', async () => {
    await using server = await startWithMembers();
    await lockFirstAdministrator(server);
    await insertMembers(server, 'maintainers', [user('p1')]);
    const request = () => server.admin.call(id, from('maintainers', 'p1'));
    const failure = await expectRejection(server, request, { status: 200, code: 'LAST_ADMINISTRATOR' });
    expect(failure.items).toEqual([{ code: 'LAST_ADMINISTRATOR', message: expect.any(String) }]);
    await insertMembers(server, 'maintainers', [user('p2')]);
    await server.admin.userAccesses.removeUser(from('maintainers', 'p1'));
  });

  test('remains when a hundred are removed concurrently', async () => {
    await using server = await startWithMembers();
    await lockFirstAdministrator(server);
    const userIds = createIds('admin', 100);
    await makeUsers(server, userIds);
    await insertMembers(server, 'maintainers', userIds.map(user));
    const requests = userIds.map((userId) => () => server.admin.call(id, from('maintainers', userId)));
    await expectOneRemaining(server, requests, 200);
  });
});
