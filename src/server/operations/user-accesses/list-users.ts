import { GroupReference } from '../../../contract/schemas/group.ts';
import { PageQuery } from '../../../contract/schemas/primitives.ts';
import { UserReference } from '../../../contract/schemas/user.ts';
import { requireGroup } from '../../directory/groups.ts';
import { readMemberPage } from '../../directory/memberships.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-accesses.list-users',
  title: 'List the users in a group',
  description:
    'Returns the direct members of the group, ordered by id. Users who are members through their business are not included.',
  method: 'GET',
  path: '/user-accesses/{groupName}/user-accounts',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['groupName'] } },
  status: [200, 206, 400, 401, 403, 404, 500],
  request: { params: { groupName: GroupReference }, query: PageQuery },
  response: { page: UserReference },
  errors: ['GROUP_NOT_FOUND'],
  command: 'groups users list',
  cliExamples: [{ title: 'Every user of a group', command: 'ops --all' }],

  async handle({ params }, { store, range }) {
    const { groupId } = await requireGroup(store, params.groupName);
    const page = await readMemberPage(store, { groupId, kind: 'user' }, range);
    return { ...page, items: page.items.map((userId) => ({ userId })) };
  },
});
