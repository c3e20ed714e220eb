import { parseRoles } from '../../../contract/roles.ts';
import { BusinessReferences } from '../../../contract/schemas/business.ts';
import { GroupReference } from '../../../contract/schemas/group.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { requireGroup } from '../../directory/groups.ts';
import { addMembers, assertBusinessesExist } from '../../directory/memberships.ts';
import { assertHoldsGroupRoles, assertOwnBusiness } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'business-accesses.add-business',
  title: 'Add businesses to a group',
  description:
    'Adds businesses to a group, which grants its roles to all users of these businesses. If one business does not exist, none is added. A caller who acts for a business can add only that business.',
  method: 'POST',
  path: '/business-accesses/{groupId}/business-accounts',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupId'] } },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: { params: { groupId: GroupReference }, body: BusinessReferences },
  response: { status: 200, body: Empty },
  errors: ['BUSINESS_NOT_FOUND', 'GROUP_NOT_FOUND', 'BUSINESS_UNKNOWN', 'MFA_MISSING', 'TOKEN_LIMIT_EXCEEDED'],
  command: 'groups businesses add',
  cliExamples: [{ title: 'One business', command: 'ops acme' }],

  async handle({ params, body }, { store, caller }) {
    const businessIds = new Set(body.map(({ businessId }) => businessId));
    for (const businessId of businessIds) assertOwnBusiness(businessId, requiredRoles, caller);
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      await assertHoldsGroupRoles(tx, group, caller);
      await assertBusinessesExist(tx, businessIds);
      await addMembers(tx, { groupId: group.groupId, kind: 'business' }, businessIds);
    });
    return {};
  },
});
