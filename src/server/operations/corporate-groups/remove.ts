import { CorporateGroupId } from '../../../contract/schemas/corporate-group.ts';
import { requireCorporateGroup } from '../../directory/corporate-groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'corporate-groups.remove',
  title: 'Delete a corporate group',
  description: 'Deletes the corporate group. Its businesses are not deleted.',
  method: 'DELETE',
  path: '/corporate-groups/{corporateGroupId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['corporateGroupId'] } },
  status: [204, 401, 403, 404, 500],
  request: { params: { corporateGroupId: CorporateGroupId } },
  response: { status: 204 },
  errors: ['CORPORATE_GROUP_NOT_FOUND'],
  command: 'corporate-groups delete',
  cliExamples: [{ title: 'Without confirmation', command: 'concern --yes' }],

  async handle({ params }, { store }) {
    await store.transaction(async (tx) => {
      const { corporateGroupId } = await requireCorporateGroup(tx, params.corporateGroupId);
      await tx.corporateGroups.delete(corporateGroupId);
    });
  },
});
