import { parseRoles } from '../../../contract/roles.ts';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { GroupReference, memberOf } from '../../../contract/schemas/group.ts';
import { requireGroup } from '../../directory/groups.ts';
import { removeMember } from '../../directory/memberships.ts';
import { assertMembershipRemovable, assertOwnBusiness, isOwnBusiness } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'business-accesses.remove-business',
  title: 'Remove a business from a group',
  description:
    'Removes a business from the group. Users of the business who are members directly, or on behalf of the business, stay members. The last administrator cannot be removed. An owner or administrator of the business needs all roles of the group. ADMIN does not cover groups that grant an IAM_ADMIN role.',
  method: 'DELETE',
  path: '/business-accesses/{groupId}/business-accounts/{businessId}',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupId', 'businessId'] } },
  status: ['200e', 204, 401, 404, 500],
  request: {
    params: {
      groupId: GroupReference,
      businessId: memberOf(BusinessId, 'business-accesses.list-businesses', 'businessId'),
    },
  },
  response: { status: 204 },
  errors: ['BUSINESS_NOT_FOUND', 'GROUP_NOT_FOUND', 'MEMBERSHIP_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  command: 'groups businesses remove',
  destructive: false,
  cliExamples: [{ title: 'Remove one business', command: 'ops acme' }],

  async handle({ params }, { store, caller, issuer }) {
    assertOwnBusiness(params.businessId, requiredRoles, caller);
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      const membership = { groupId: group.groupId, kind: 'business', memberId: params.businessId } as const;
      await assertMembershipRemovable(tx, group, membership, {
        admission: requiredRoles,
        caller,
        owns: isOwnBusiness(params.businessId, caller),
      });
      await removeMember(tx, issuer, membership);
    });
  },
});
