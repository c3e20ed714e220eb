import * as z from 'zod';
import { parseRoles } from '../../../contract/roles.ts';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { RoleWithGroups } from '../../../contract/schemas/role.ts';
import { requireBusiness } from '../../directory/memberships.ts';
import { assertOwnBusiness } from '../../directory/object-access.ts';
import { readRoleSources } from '../../directory/role-provenance.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'business-accesses.list-business-roles',
  title: 'List the roles of a business',
  description:
    'Returns every role that all users of the business have through it, with the groups of the business that grant it.',
  method: 'GET',
  path: '/business-accesses/business-accounts/{businessId}/roles',
  auth: 'caller',
  roles,
  audit: { kind: 'read', targets: { path: ['businessId'] } },
  status: [200, 401, 403, 404, 500],
  request: { params: { businessId: BusinessId } },
  response: { status: 200, body: z.array(RoleWithGroups) },
  errors: ['BUSINESS_NOT_FOUND'],
  command: 'businesses roles',
  cliExamples: [{ title: 'As JSON', command: 'acme -o json' }],

  async handle({ params: { businessId } }, { store, caller }) {
    assertOwnBusiness(businessId, requiredRoles, caller);
    await requireBusiness(store, businessId);
    return readRoleSources(store, [{ kind: 'business', memberId: businessId }]);
  },
});
