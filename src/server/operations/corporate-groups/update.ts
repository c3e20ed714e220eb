import {
  CorporateGroupId,
  CorporateGroupInput,
  CorporateGroupSchema,
} from '../../../contract/schemas/corporate-group.ts';
import {
  assertBusinessesAssignable,
  assertCorporateGroupNameAvailable,
  collectBusinessIds,
  requireCorporateGroup,
  toCorporateGroupView,
} from '../../directory/corporate-groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'corporate-groups.update',
  title: 'Update a corporate group',
  description:
    'Replaces the corporate group with the request body: an omitted list of businesses becomes empty, and an omitted organization is cleared. Use If-Match to avoid overwriting concurrent changes.',
  method: 'PUT',
  path: '/corporate-groups/{corporateGroupId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: {
    kind: 'administration',
    targets: { path: ['corporateGroupId'], body: ['corporateGroupName', 'organizationId'] },
  },
  status: [204, 400, 401, 403, 404, 412, 422, 500],
  request: { params: { corporateGroupId: CorporateGroupId }, body: CorporateGroupInput },
  response: { status: 204 },
  errors: [
    'CORPORATE_GROUP_NOT_FOUND',
    'CHANGED_MEANWHILE',
    'CORPORATE_GROUP_NAME_TAKEN',
    'LISTED_BUSINESS_UNKNOWN',
    'BUSINESS_IN_CORPORATE_GROUP',
  ],
  command: 'corporate-groups update',
  cliExamples: [
    { title: 'Rename a corporate group', command: 'concern --corporate-group-name group' },
    { title: 'Add a business', command: 'concern --add-business globex' },
  ],

  async handle({ params, body }, { store, assertMatch }) {
    await store.transaction(async (tx) => {
      const current = await requireCorporateGroup(tx, params.corporateGroupId);
      assertMatch(CorporateGroupSchema, toCorporateGroupView(tx, current));
      const { corporateGroupId, createdAt } = current;
      const changed = { ...body, corporateGroupId, createdAt, businesses: collectBusinessIds(body.businesses) };
      await assertCorporateGroupNameAvailable(tx, changed);
      await assertBusinessesAssignable(tx, changed);
      await tx.corporateGroups.replace(changed);
    });
  },
});
