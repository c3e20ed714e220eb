import { parseRoles } from '../../../contract/roles.ts';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { GroupReference, memberOf } from '../../../contract/schemas/group.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { requireGroup } from '../../directory/groups.ts';
import { removeMember, requireBusiness } from '../../directory/memberships.ts';
import { assertMembershipRemovable, assertOwnBusiness, isOwnBusiness } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'user-accesses.remove-business-user',
  title: 'Remove a business user from a group',
  description:
    'Removes the membership that the user has on behalf of this business. Owners and administrators of the business can remove themselves, and other users from groups if they have all roles of the group. ADMIN does not cover groups that grant an IAM_ADMIN role. The last administrator cannot be removed.',
  method: 'DELETE',
  path: '/user-accesses/{groupName}/business-accounts/{businessId}/user-accounts/{userId}',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupName', 'businessId', 'userId'] } },
  status: [204, 401, 403, 404, 412, 500],
  request: {
    params: {
      groupName: GroupReference,
      businessId: BusinessId,
      userId: memberOf(UserId, 'user-accesses.list-business-users', 'userId'),
    },
  },
  response: { status: 204 },
  errors: ['BUSINESS_NOT_FOUND', 'GROUP_NOT_FOUND', 'MEMBERSHIP_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  command: 'groups business-users remove',
  destructive: false,
  cliExamples: [{ title: 'Remove one user of a business', command: 'ops acme alice' }],

  async handle({ params: { groupName, businessId, userId } }, { store, caller, issuer }) {
    assertOwnBusiness(businessId, requiredRoles, caller);
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, groupName);
      await requireBusiness(tx, businessId);
      const membership = { groupId: group.groupId, kind: 'businessUser', businessId, memberId: userId } as const;
      await assertMembershipRemovable(tx, group, membership, {
        admission: requiredRoles,
        caller,
        owns: isOwnBusiness(businessId, caller),
      });
      await removeMember(tx, issuer, membership);
    });
  },
});
