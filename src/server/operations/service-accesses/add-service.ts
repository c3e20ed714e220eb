import { ServiceReferences } from '../../../contract/member-schemas.ts';
import { parseRoles } from '../../../contract/roles.ts';
import { Empty, GroupReference } from '../../../contract/schemas.ts';
import { requireGroup } from '../../identity/groups.ts';
import { addMembers, findService, requireServices } from '../../identity/memberships.ts';
import { isOverOwnServicesOnly, requireHeldRoles, requireOwnService } from '../../identity/rules.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN or ADMIN or IAM_ADMIN_MAINTENANCE)';
const admission = parseRoles(roles);

export default defineOperation({
  id: 'service-accesses.add-service',
  title: 'Groups - Add Service',
  description:
    'Puts services into the group, by the service account ids of their clients: all of them, or none where one is not known. Without an administrative role a caller names only its own services, which then have only those roles of the group that their owner (user or business) holds at the time of a call; one added by an administrator has all of them.',
  method: 'POST',
  path: '/service-accesses/{groupId}/service-accounts',
  auth: 'caller',
  roles,
  audit: { kind: 'administration', targets: { path: ['groupId'] } },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: { params: { groupId: GroupReference }, body: ServiceReferences },
  response: { status: 200, body: Empty },
  errors: ['GROUP_NOT_FOUND', 'SERVICE_NOT_FOUND', 'SERVICE_UNKNOWN'],
  command: 'groups services add',
  examples: [{ title: 'One service', command: 'ops billing-service' }],

  async handle({ params, body }, { store, caller }) {
    const serviceIds = new Set(body.map(({ serviceId }) => serviceId));
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      await requireHeldRoles(tx, group, caller);
      for (const serviceId of serviceIds) requireOwnService(await findService(tx, serviceId), admission, caller);
      await requireServices(tx, serviceIds);
      const roster = { groupId: group.groupId, kind: 'service' } as const;
      const isDelegated = isOverOwnServicesOnly(admission, caller);
      await addMembers(tx, isDelegated ? { ...roster, delegated: true } : roster, serviceIds);
    });
    return {};
  },
});
