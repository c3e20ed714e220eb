import { parseRoles } from '../../../contract/roles.ts';
import { ServiceReferences } from '../../../contract/schemas/client.ts';
import { GroupReference } from '../../../contract/schemas/group.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { requireGroup } from '../../directory/groups.ts';
import { addMembers, assertServicesExist, findService } from '../../directory/memberships.ts';
import { assertHoldsGroupRoles, assertOwnService, isLimitedToOwnServices } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN or ADMIN or IAM_ADMIN_MAINTENANCE)';
const requiredRoles = parseRoles(roles);

export default defineOperation({
  id: 'service-accesses.add-service',
  title: 'Add services to a group',
  description:
    'Adds services to the group, by the service account ids of their clients. If one service does not exist, none is added. A caller without an administrative role can add only its own services. Such a service has only those roles of the group that its owner (user or business) has at the time of each request; a service added by an administrator has all of them.',
  method: 'POST',
  path: '/service-accesses/{groupId}/service-accounts',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupId'] } },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: { params: { groupId: GroupReference }, body: ServiceReferences },
  response: { status: 200, body: Empty },
  errors: ['GROUP_NOT_FOUND', 'SERVICE_NOT_FOUND', 'SERVICE_UNKNOWN', 'MFA_MISSING', 'TOKEN_LIMIT_EXCEEDED'],
  command: 'groups services add',
  cliExamples: [{ title: 'One service', command: 'ops billing-service' }],

  async handle({ params, body }, { store, caller }) {
    const serviceIds = new Set(body.map(({ serviceId }) => serviceId));
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      await assertHoldsGroupRoles(tx, group, caller);
      for (const serviceId of serviceIds) assertOwnService(await findService(tx, serviceId), requiredRoles, caller);
      await assertServicesExist(tx, serviceIds);
      const target = { groupId: group.groupId, kind: 'service' } as const;
      const isDelegated = isLimitedToOwnServices(requiredRoles, caller);
      await addMembers(tx, isDelegated ? { ...target, delegated: true } : target, serviceIds);
    });
    return {};
  },
});
