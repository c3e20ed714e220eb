import { ServiceReference } from '../../../contract/schemas/client.ts';
import { GroupReference } from '../../../contract/schemas/group.ts';
import { PageQuery } from '../../../contract/schemas/primitives.ts';
import { requireGroup } from '../../directory/groups.ts';
import { readMemberPage } from '../../directory/memberships.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'service-accesses.list-services',
  title: 'List the services in a group',
  description: 'Returns the services in the group, ordered by the service account ids of their clients.',
  method: 'GET',
  path: '/service-accesses/{groupId}/service-accounts',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['groupId'] } },
  status: [200, 206, 400, 401, 403, 404, 500],
  request: { params: { groupId: GroupReference }, query: PageQuery },
  response: { page: ServiceReference },
  errors: ['GROUP_NOT_FOUND'],
  command: 'groups services list',
  cliExamples: [{ title: 'Every service of a group', command: 'ops --all' }],

  async handle({ params }, { store, range }) {
    const { groupId } = await requireGroup(store, params.groupId);
    const page = await readMemberPage(store, { groupId, kind: 'service' }, range);
    return { ...page, items: page.items.map((serviceId) => ({ serviceId })) };
  },
});
