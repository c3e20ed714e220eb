import { parseRoles } from '../../../contract/roles.ts';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { GroupReference } from '../../../contract/schemas/group.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { UserReferences } from '../../../contract/schemas/user.ts';
import { requireGroup } from '../../directory/groups.ts';
import { addMembers, assertUsersOfBusiness, requireBusiness } from '../../directory/memberships.ts';
import { assertHoldsGroupRoles, assertOwnBusiness } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'user-accesses.add-business-user',
  title: 'Add business users to a group',
  description:
    'Adds users of a business to the group on behalf of that business. If one user does not belong to the business, none is added. The business does not need to be in the group.',
  method: 'POST',
  path: '/user-accesses/{groupName}/business-accounts/{businessId}/user-accounts',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupName', 'businessId'] } },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: {
    params: { groupName: GroupReference, businessId: BusinessId },
    body: UserReferences,
  },
  response: { status: 200, body: Empty },
  errors: ['BUSINESS_NOT_FOUND', 'GROUP_NOT_FOUND', 'USER_NOT_OF_BUSINESS', 'MFA_MISSING', 'TOKEN_LIMIT_EXCEEDED'],
  command: 'groups business-users add',
  cliExamples: [{ title: 'One user of a business', command: 'ops acme alice' }],

  async handle({ params: { groupName, businessId }, body }, { store, caller }) {
    const userIds = new Set(body.map(({ userId }) => userId));
    assertOwnBusiness(businessId, requiredRoles, caller);
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, groupName);
      await assertHoldsGroupRoles(tx, group, caller);
      await requireBusiness(tx, businessId);
      await assertUsersOfBusiness(tx, businessId, userIds);
      await addMembers(tx, { groupId: group.groupId, kind: 'businessUser', businessId }, userIds);
    });
    return {};
  },
});
