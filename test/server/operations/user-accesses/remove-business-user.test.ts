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

test('returns 404 for unknown members, businesses and groups', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [pair('a', 'a1'), { kind: 'user', memberId: 'a2' }]);
  const rows = [
    [from('plain', 'a', 'a2'), 'MEMBERSHIP_NOT_FOUND'],
    [from('plain', 'a', 'A1'), 'MEMBERSHIP_NOT_FOUND'],
    [from('plain', 'a', 'constructor'), 'MEMBERSHIP_NOT_FOUND'],
    [from('plain', 'a', '__proto__'), 'MEMBERSHIP_NOT_FOUND'],
    [from('plain', 'b', 'a1'), 'MEMBERSHIP_NOT_FOUND'],
    [from('plain', 'A', 'a1'), 'BUSINESS_NOT_FOUND'],
    [from('plain', '__proto__', 'a1'), 'BUSINESS_NOT_FOUND'],
    [from('Plain', 'a', 'a1'), 'GROUP_NOT_FOUND'],
    [from('plain', 'a', 'a 1'), 'PATH_VALUE'],
  ] as const;
  for (const [input, code] of rows)
    await expectRejection(server, () => server.admin.call(id, input), { status: 404, code });
});

test('hides a group with roles that the caller does not have, whether or not the user is in it', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { roles: ['BUSINESSADMIN'], businessId: 'a' });
  const unknown = await expectRejection(server, () => caller.call(id, from('unknown', 'a', 'a1')), {
    status: 404,
    code: 'GROUP_NOT_FOUND',
  });
  for (const group of ['deployers', 'leads', 'iam-administrators']) {
    const hidden = await expectRejection(server, () => caller.call(id, from(group, 'a', 'a1')), {
      status: 404,
      code: 'GROUP_NOT_FOUND',
    });
    expect(hidden.items).toEqual(unknown.items);
  }
  await expectRejection(server, () => caller.call(id, from('plain', 'a', 'a1')), {
    status: 404,
    code: 'MEMBERSHIP_NOT_FOUND',
  });
  await expectRejection(server, () => server.admin.call(id, from('deployers', 'a', 'a1')), {
    status: 404,
    code: 'MEMBERSHIP_NOT_FOUND',
  });
  await insertMembers(server, 'deployers', [pair('a', 'a1')]);
  const present = await expectRejection(server, () => caller.call(id, from('deployers', 'a', 'a1')), {
    status: 404,
    code: 'GROUP_NOT_FOUND',
  });
  expect(present.items).toEqual(unknown.items);
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

test('rejects ADMIN for groups that grant an IAM_ADMIN role, directly or through a dependency', async () => {
  await using server = await startWithMembers();
  await server.admin.groups.create({ body: { groupName: 'outer', dependencies: [{ groupName: 'iam-auditors' }] } });
  const caller = await asUser(server, { roles: ['ADMIN', 'IAM_ADMIN_READ_ONLY'], level: 'AUTH-MFA' });
  for (const group of ['maintainers', 'iam-auditors', 'outer']) {
    await insertMembers(server, group, [pair('a', 'a1')]);
    const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };
    await expectRejection(server, () => caller.call(id, from(group, 'a', 'a1')), rejected);
  }
  await insertMembers(server, 'leads', [pair('a', 'a1')]);
  await caller.userAccesses.removeBusinessUser(from('leads', 'a', 'a1'));
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

describe('last administrator', () => {
  test('is not removed', async () => {
    await using server = await startWithMembers();
    await lockFirstAdministrator(server);
    await insertMembers(server, 'maintainers', [pair('a', 'a1')]);
    const request = () => server.admin.call(id, from('maintainers', 'a', 'a1'));
    await expectRejection(server, request, { status: 412, code: 'LAST_ADMINISTRATOR' });
  });

  test('remains when a hundred are removed concurrently', async () => {
    await using server = await startWithMembers();
    await lockFirstAdministrator(server);
    const userIds = createIds('admin', 100);
    await makeUsers(server, userIds, { businessId: 'a' });
    await insertMembers(
      server,
      'maintainers',
      userIds.map((userId) => pair('a', userId)),
    );
    const requests = userIds.map((userId) => () => server.admin.call(id, from('maintainers', 'a', userId)));
    await expectOneRemaining(server, requests, 412);
  });
});
