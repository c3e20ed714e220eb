import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { ServiceId } from '../../../contract/schemas/client.ts';
import { RoleWithGroups } from '../../../contract/schemas/role.ts';
import { findService } from '../../directory/memberships.ts';
import { readServiceRoleSources } from '../../directory/service-roles.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'service-accesses.list-service-roles',
  title: 'List the roles of a service',
  description:
    'Returns every role that groups grant to the service, with the groups that grant it. A membership added without an administrative role grants only roles that the owner of the service currently has.',
  method: 'GET',
  path: '/service-accesses/service-accounts/{serviceId}/roles',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['serviceId'] } },
  status: [200, 401, 403, 404, 500],
  request: { params: { serviceId: ServiceId } },
  response: { status: 200, body: z.array(RoleWithGroups) },
  errors: ['SERVICE_NOT_FOUND'],
  command: 'services roles',
  cliExamples: [{ title: 'As JSON', command: 'billing-service -o json' }],

  async handle({ params: { serviceId } }, { store }) {
    const client = await findService(store, serviceId);
    if (!client) throw apiError('SERVICE_NOT_FOUND');
    return readServiceRoleSources(store, client);
  },
});
