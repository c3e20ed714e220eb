import { parseRoles } from '../../../contract/roles.ts';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { GroupReference } from '../../../contract/schemas/group.ts';
import { PageQuery } from '../../../contract/schemas/primitives.ts';
import { UserReference } from '../../../contract/schemas/user.ts';
import { requireGroup } from '../../directory/groups.ts';
import { readMemberPage, requireBusiness } from '../../directory/memberships.ts';
import { assertOwnBusiness } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_READ_ONLY)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'user-accesses.list-business-users',
  title: 'List the business users in a group',
  description: 'Returns the users who are in the group on behalf of this business, ordered by id.',
  method: 'GET',
  path: '/user-accesses/{groupName}/business-accounts/{businessId}/user-accounts',
  auth: 'caller',
  roles,
  audit: { kind: 'read', targets: { path: ['groupName', 'businessId'] } },
  status: [200, 206, 401, 404, 500],
  request: {
    params: { groupName: GroupReference, businessId: BusinessId },
    query: PageQuery,
  },
  response: { page: UserReference },
  errors: ['BUSINESS_NOT_FOUND', 'GROUP_NOT_FOUND'],
  command: 'groups business-users list',
  cliExamples: [{ title: 'Every user of a business in a group', command: 'ops acme --all' }],

  async handle({ params: { groupName, businessId } }, { store, range, caller }) {
    assertOwnBusiness(businessId, requiredRoles, caller);
    const { groupId } = await requireGroup(store, groupName);
    await requireBusiness(store, businessId);
    const page = await readMemberPage(store, { groupId, kind: 'businessUser', businessId }, range);
    return { ...page, items: page.items.map((userId) => ({ userId })) };
  },
});
