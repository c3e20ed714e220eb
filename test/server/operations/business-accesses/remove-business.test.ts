import { describe, expect, test } from 'vitest';
import { membersIn } from '../user-accesses/bodies.ts';
import {
  callerWith,
  createIds,
  expectOneRemaining,
  expectRejection,
  insertMembers,
  lockFirstAdministrator,
  makeUsers,
  startWithMembers,
} from '../user-accesses/member-fixtures.ts';
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

test('returns 404 for a business that is not in the group and for unknown groups', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [business('a')]);
  for (const businessId of ['b', 'A', 'unknown', 'constructor', '__proto__'])
    await expectRejection(server, () => server.admin.call(id, from('plain', businessId)), {
      status: 404,
      code: 'MEMBERSHIP_NOT_FOUND',
    });
  for (const groupId of ['Plain', 'unknown', 'constructor', '__proto__'])
    await expectRejection(server, () => server.admin.call(id, from(groupId, 'a')), {
      status: 404,
      code: 'GROUP_NOT_FOUND',
    });
  await expectRejection(server, () => server.admin.call(id, from('plain', 'a b')), { status: 404, code: 'PATH_VALUE' });
});

test('returns 404 for a group with roles that the caller does not have, whether or not the business is in it', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { roles: ['BUSINESSADMIN'], businessId: 'a' });
  const unknown = await expectRejection(server, () => caller.call(id, from('unknown', 'a')), {
    status: 404,
    code: 'GROUP_NOT_FOUND',
  });
  for (const group of ['deployers', 'leads', 'iam-administrators']) {
    const hidden = await expectRejection(server, () => caller.call(id, from(group, 'a')), {
      status: 404,
      code: 'GROUP_NOT_FOUND',
    });
    expect(hidden.items).toEqual(unknown.items);
  }
  await expectRejection(server, () => caller.call(id, from('plain', 'a')), {
    status: 404,
    code: 'MEMBERSHIP_NOT_FOUND',
  });
  await expectRejection(server, () => server.admin.call(id, from('deployers', 'a')), {
    status: 404,
    code: 'MEMBERSHIP_NOT_FOUND',
  });
  await insertMembers(server, 'deployers', [business('a')]);
  const present = await expectRejection(server, () => caller.call(id, from('deployers', 'a')), {
    status: 404,
    code: 'GROUP_NOT_FOUND',
  });
  expect(present.items).toEqual(unknown.items);
  const holder = await asUser(server, { roles: ['BUSINESSADMIN', 'DEPLOY'], businessId: 'a' });
  await holder.businessAccesses.removeBusiness(from('deployers', 'a'));
  expect(await membersIn(server, 'deployers')).toEqual([]);
});

test('rejects a caller with ADMIN for groups that grant an IAM_ADMIN role', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { roles: ['ADMIN'], level: 'AUTH-MFA' });
  await insertMembers(server, 'iam-auditors', [business('a')]);
  await insertMembers(server, 'leads', [business('a')]);
  const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };
  await expectRejection(server, () => caller.call(id, from('iam-auditors', 'a')), rejected);
  await caller.businessAccesses.removeBusiness(from('leads', 'a'));
});

describe('callers of a business', () => {
  const rejected = { status: 404, code: 'BUSINESS_NOT_FOUND' };

  test('remove their own business, but no other', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [business('b')]);
    for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
      await insertMembers(server, 'plain', [business('a')]);
      const caller = await asUser(server, { roles: [role], businessId: 'a' });
      const other = await expectRejection(server, () => caller.call(id, from('plain', 'b')), rejected);
      const unknown = await expectRejection(server, () => caller.call(id, from('plain', 'unknown')), rejected);
      expect(other.items).toEqual(unknown.items);
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

describe('the last administrator', () => {
  test('is not removed: 200 with the error array', async () => {
    await using server = await startWithMembers();
    await lockFirstAdministrator(server);
    await insertMembers(server, 'maintainers', [business('a')]);
    const request = () => server.admin.call(id, from('maintainers', 'a'));
    await expectRejection(server, request, { status: 200, code: 'LAST_ADMINISTRATOR' });
  });

  test('remains when a hundred businesses are removed concurrently', async () => {
    await using server = await startWithMembers();
    await lockFirstAdministrator(server);
    const businessIds = createIds('firm', 100);
    for (const businessId of businessIds) await makeUsers(server, [`of-${businessId}`], { businessId });
    await insertMembers(server, 'maintainers', businessIds.map(business));
    const requests = businessIds.map((businessId) => () => server.admin.call(id, from('maintainers', businessId)));
    await expectOneRemaining(server, requests, 200);
  });
});
