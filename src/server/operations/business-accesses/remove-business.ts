import { BusinessId, memberOf } from '../../../contract/reference-schemas.ts';
import { parseRoles } from '../../../contract/roles.ts';
import { GroupReference } from '../../../contract/schemas.ts';
import { requireGroup } from '../../identity/groups.ts';
import { removeMember } from '../../identity/memberships.ts';
import { assertMembershipRemovable, assertOwnBusiness, isOwnBusiness } from '../../identity/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'business-accesses.remove-business',
  title: 'Groups - Remove Business',
  description:
    'Takes a business out of the group. Its users who are in the group themselves, or in its name, stay; so does the last administrator. An owner or administrator of the business does this only in groups all of whose roles it holds. ADMIN does not reach groups that give an IAM_ADMIN role.',
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
  cliExamples: [{ title: 'Without being asked', command: 'ops BUSINESS_ID --yes' }],

  async handle({ params }, { store, caller }) {
    assertOwnBusiness(params.businessId, requiredRoles, caller);
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      const membership = { groupId: group.groupId, kind: 'business', memberId: params.businessId } as const;
      await assertMembershipRemovable(tx, group, membership, {
        admission: requiredRoles,
        caller,
        owns: isOwnBusiness(params.businessId, caller),
      });
      await removeMember(tx, membership);
    });
    return undefined;
  },
});
