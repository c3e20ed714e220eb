import { CorporateGroupId, CorporateGroupSchema } from '../../../contract/schemas/corporate-group.ts';
import { requireCorporateGroup, toCorporateGroupView } from '../../directory/corporate-groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'corporate-groups.get',
  title: 'Get a corporate group',
  description: 'Returns one corporate group. Send the ETag of the response as If-Match on an update.',
  method: 'GET',
  path: '/corporate-groups/{corporateGroupId}',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['corporateGroupId'] } },
  status: [200, 401, 403, 404, 500],
  request: { params: { corporateGroupId: CorporateGroupId } },
  response: { status: 200, body: CorporateGroupSchema, entity: true },
  errors: ['CORPORATE_GROUP_NOT_FOUND'],
  command: 'corporate-groups get',
  cliExamples: [{ title: 'As JSON', command: 'concern -o json' }],

  async handle({ params }, { store }) {
    return toCorporateGroupView(store, await requireCorporateGroup(store, params.corporateGroupId));
  },
});
