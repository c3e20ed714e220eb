import { parseRoles } from '../../../contract/roles.ts';
import { ServiceId } from '../../../contract/schemas/client.ts';
import { GroupReference, memberOf } from '../../../contract/schemas/group.ts';
import { requireGroup } from '../../directory/groups.ts';
import { findService, removeMember } from '../../directory/memberships.ts';
import { assertMembershipRemovable, assertOwnService, isOwnClient } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN or ADMIN or IAM_ADMIN_MAINTENANCE)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'service-accesses.remove-service',
  title: 'Remove a service from a group',
  description:
    'Removes a service from the group. A caller without an administrative role can remove only its own services; an owner or administrator of a business also needs all roles of the group. ADMIN does not cover groups that grant an IAM_ADMIN role.',
  method: 'DELETE',
  path: '/service-accesses/{groupId}/service-accounts/{serviceId}',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupId', 'serviceId'] } },
  status: [204, 401, 403, 404, 412, 500],
  request: {
    params: { groupId: GroupReference, serviceId: memberOf(ServiceId, 'service-accesses.list-services', 'serviceId') },
  },
  response: { status: 204 },
  errors: ['GROUP_NOT_FOUND', 'SERVICE_NOT_FOUND', 'MEMBERSHIP_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  command: 'groups services remove',
  destructive: false,
  cliExamples: [{ title: 'Remove one service', command: 'ops billing-service' }],

  async handle({ params: { groupId: reference, serviceId } }, { store, caller, issuer }) {
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, reference);
      const service = await findService(tx, serviceId);
      assertOwnService(service, requiredRoles, caller);
      const membership = { groupId: group.groupId, kind: 'service', memberId: serviceId } as const;
      const owns = service !== undefined && isOwnClient(service, caller);
      await assertMembershipRemovable(tx, group, membership, { admission: requiredRoles, caller, owns });
      await removeMember(tx, issuer, membership);
    });
  },
});
