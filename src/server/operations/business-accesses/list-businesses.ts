import { BusinessReference } from '../../../contract/schemas/business.ts';
import { GroupReference } from '../../../contract/schemas/group.ts';
import { PageQuery } from '../../../contract/schemas/primitives.ts';
import { requireGroup } from '../../directory/groups.ts';
import { readMemberPage } from '../../directory/memberships.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'business-accesses.list-businesses',
  title: 'List the businesses in a group',
  description:
    'Returns the businesses in the group, ordered by id. All users of these businesses have the roles of the group.',
  method: 'GET',
  path: '/business-accesses/{groupId}/business-accounts',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['groupId'] } },
  status: [200, 206, 400, 401, 403, 404, 500],
  request: { params: { groupId: GroupReference }, query: PageQuery },
  response: { page: BusinessReference },
  errors: ['GROUP_NOT_FOUND'],
  command: 'groups businesses list',
  cliExamples: [{ title: 'Every business of a group', command: 'ops --all' }],

  async handle({ params }, { store, range }) {
    const { groupId } = await requireGroup(store, params.groupId);
    const page = await readMemberPage(store, { groupId, kind: 'business' }, range);
    return { ...page, items: page.items.map((businessId) => ({ businessId })) };
  },
});
