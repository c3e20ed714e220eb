import * as z from 'zod';
import { CorporateGroupInput } from '../../../contract/schemas/corporate-group.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import {
  assertBusinessesAssignable,
  assertCorporateGroupNameAvailable,
  collectBusinessIds,
} from '../../directory/corporate-groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'corporate-groups.create',
  title: 'Create a corporate group',
  description:
    'Creates a corporate group. Its businesses must not be in another corporate group. The server generates the id and returns it.',
  method: 'POST',
  path: '/corporate-groups',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: {
    kind: 'administration',
    targets: { body: ['corporateGroupName', 'organizationId'], response: ['corporateGroupId'] },
  },
  status: [201, 400, 401, 403, 412, 422, 500],
  request: { body: CorporateGroupInput },
  response: {
    status: 201,
    body: z.strictObject({ corporateGroupId: exampleText('64b0c0ffee00000000000005') }),
  },
  errors: ['CORPORATE_GROUP_NAME_TAKEN', 'LISTED_BUSINESS_UNKNOWN', 'BUSINESS_IN_CORPORATE_GROUP'],
  creates: 'corporateGroup',
  command: 'corporate-groups create',
  cliExamples: [{ title: 'Two businesses', command: '--corporate-group-name holding --business acme,globex' }],

  async handle({ body }, { store, ids, clock }) {
    const group = {
      ...body,
      corporateGroupId: ids.newId(),
      businesses: collectBusinessIds(body.businesses),
      createdAt: clock.now().toISOString(),
    };
    await store.transaction(async (tx) => {
      await assertCorporateGroupNameAvailable(tx, group);
      await assertBusinessesAssignable(tx, group);
      await tx.corporateGroups.insert(group);
    });
    return { corporateGroupId: group.corporateGroupId };
  },
});
