/** Tests shared by all operations that remove a member of a group. */
import { expect, test } from 'vitest';
import type { OperationId } from '../../../../src/server/operations/index.ts';
import type { Membership } from '../../../../src/server/store/tables.ts';
import type { TestServer } from '../../../harness.ts';
import { asUser } from '../user-token.ts';
import { membersIn } from './bodies.ts';
import {
  createIds,
  expectOneRemaining,
  expectRejection,
  insertMembers,
  lockFirstAdministrator,
  startWithMembers,
} from './member-fixtures.ts';

interface MemberRemoval {
  readonly id: OperationId;
  /** Returns the request for a group and a member. */
  from(groupName: string, memberId: string): { readonly params: Readonly<Record<string, string>> };
  member(memberId: string): Omit<Membership, 'groupId'>;
  /** A member that an administrator of business a may remove. */
  readonly ofBusiness?: string;
  /** How members who can be the last administrator are made, and the status that rejects the removal of the last. */
  readonly administrators?: {
    readonly status: number;
    make(server: TestServer, ids: readonly string[]): Promise<void>;
  };
}

export function testMemberRemoval({ id, from, member, ofBusiness, administrators }: MemberRemoval): void {
  const anyMember = ofBusiness ?? 'p1';

  test('rejects ADMIN for groups that grant an IAM_ADMIN role, directly or through a dependency', async () => {
    await using server = await startWithMembers();
    await server.admin.groups.create({ body: { groupName: 'outer', dependencies: [{ groupName: 'iam-auditors' }] } });
    await server.admin.groups.create({ body: { groupName: 'admins', roles: ['ADMIN'] } });
    const caller = await asUser(server, { roles: ['ADMIN', 'IAM_ADMIN_READ_ONLY'], level: 'AUTH-MFA' });
    for (const group of ['maintainers', 'iam-auditors', 'outer', 'admins', 'leads'])
      await insertMembers(server, group, [member(anyMember)]);
    const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };
    for (const group of ['maintainers', 'iam-auditors', 'outer'])
      await expectRejection(server, () => caller.call(id, from(group, anyMember)), rejected);
    for (const group of ['admins', 'leads']) await caller.call(id, from(group, anyMember));
  });

  if (ofBusiness !== undefined) testHiddenGroups({ id, from, member, ofBusiness });
  if (administrators !== undefined) testLastAdministrator({ id, from, member, administrators });
}

function testHiddenGroups({ id, from, member, ofBusiness }: MemberRemoval & { readonly ofBusiness: string }): void {
  test('hides a group with roles that the caller does not have, whether or not the member is in it', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { roles: ['BUSINESSADMIN'], businessId: 'a' });
    const reject = async (as: typeof caller, groupName: string, code: string) =>
      (await expectRejection(server, () => as.call(id, from(groupName, ofBusiness)), { status: 404, code })).items;
    const unknown = await reject(caller, 'unknown', 'GROUP_NOT_FOUND');
    for (const group of ['deployers', 'leads', 'iam-administrators'])
      expect(await reject(caller, group, 'GROUP_NOT_FOUND')).toEqual(unknown);
    await reject(caller, 'plain', 'MEMBERSHIP_NOT_FOUND');
    await reject(server.admin, 'deployers', 'MEMBERSHIP_NOT_FOUND');
    await insertMembers(server, 'deployers', [member(ofBusiness)]);
    expect(await reject(caller, 'deployers', 'GROUP_NOT_FOUND')).toEqual(unknown);
    const holder = await asUser(server, { roles: ['BUSINESSADMIN', 'DEPLOY'], businessId: 'a' });
    await holder.call(id, from('deployers', ofBusiness));
    expect(await membersIn(server, 'deployers')).toEqual([]);
  });
}

function testLastAdministrator({
  id,
  from,
  member,
  administrators: { status, make },
}: MemberRemoval & { readonly administrators: object } & Required<Pick<MemberRemoval, 'administrators'>>): void {
  test('does not remove the last administrator, also not in a hundred concurrent removals', async () => {
    await using server = await startWithMembers();
    await lockFirstAdministrator(server);
    const ids = createIds('admin', 100);
    await make(server, ids);
    await insertMembers(server, 'maintainers', ids.map(member));
    const requests = ids.map((memberId) => () => server.admin.call(id, from('maintainers', memberId)));
    await expectOneRemaining(server, requests, status);
    const [last = ''] = await membersIn(server, 'maintainers');
    const request = () => server.admin.call(id, from('maintainers', last));
    const { items } = await expectRejection(server, request, { status, code: 'LAST_ADMINISTRATOR' });
    expect(items).toEqual([{ code: 'LAST_ADMINISTRATOR', message: expect.any(String) }]);
  });
}
