import { GroupReference, GroupSchema } from '../../../contract/schemas/group.ts';
import { readGroupView } from '../../directory/groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.get',
  title: 'Get a group',
  description: 'Returns one group, by id or name. Send the ETag of the response as If-Match on an update.',
  method: 'GET',
  path: '/groups/{groupId}',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['groupId'] } },
  status: [200, 401, 403, 404, 500],
  request: { params: { groupId: GroupReference } },
  response: { status: 200, body: GroupSchema, entity: true },
  errors: ['GROUP_NOT_FOUND'],
  command: 'groups get',
  cliExamples: [
    { title: 'By name, as JSON', command: 'ops -o json' },
    { title: 'Several', command: 'ops leads' },
  ],

  async handle({ params }, { store }) {
    return readGroupView(store, params.groupId);
  },
});
