import { parseRoles } from '../../../contract/roles.ts';
import { GroupReference, memberOf } from '../../../contract/schemas/group.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { requireGroup } from '../../directory/groups.ts';
import { removeMember } from '../../directory/memberships.ts';
import { assertMembershipRemovable } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and (ADMIN or IAM_ADMIN_MAINTENANCE) or CLI-1STPARTY and CLI-AUTH-BASIC';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'user-accesses.remove-user',
  title: 'Remove a user from a group',
  description:
    'Removes a user from the group. Groups that grant an IAM_ADMIN role require IAM_ADMIN_MAINTENANCE. A client without administrative roles cannot remove users from groups that grant ADMIN either. The last administrator cannot be removed.',
  method: 'DELETE',
  path: '/user-accesses/{groupName}/user-accounts/{userId}',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupName', 'userId'] } },
  status: ['200e', 204, 401, 404, 500],
  request: { params: { groupName: GroupReference, userId: memberOf(UserId, 'user-accesses.list-users', 'userId') } },
  response: { status: 204 },
  errors: ['GROUP_NOT_FOUND', 'MEMBERSHIP_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  command: 'groups users remove',
  destructive: false,
  cliExamples: [{ title: 'Remove one user', command: 'ops alice' }],

  async handle({ params }, { store, caller, issuer }) {
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupName);
      const membership = { groupId: group.groupId, kind: 'user', memberId: params.userId } as const;
      await assertMembershipRemovable(tx, group, membership, { admission: requiredRoles, caller, owns: false });
      await removeMember(tx, issuer, membership);
    });
  },
});
