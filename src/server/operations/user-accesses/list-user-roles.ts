import * as z from 'zod';
import { reference } from '../../../contract/entities.ts';
import { apiError } from '../../../contract/errors.ts';
import { RoleWithGroups } from '../../../contract/schemas/role.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { readRoleSources } from '../../directory/role-provenance.ts';
import { listMemberIdentities } from '../../directory/user-roles.ts';
import { requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-accesses.list-user-roles',
  title: 'List the roles of a user',
  description:
    'Returns every role that groups grant to the user, with the groups that grant it. With businessId, returns only roles that the user has as a user of that business: through the groups of the business, and through memberships on behalf of the business.',
  method: 'GET',
  path: '/user-accesses/user-accounts/{userId}/roles',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['userId'] } },
  status: [200, 401, 403, 404, 500],
  request: {
    params: { userId: UserId },
    // Accepts any text: an id that is not valid must not be treated as a missing filter.
    query: {
      businessId: z
        .string()
        .meta(reference('business', ['id']))
        .optional()
        .meta({ description: 'Business that the user belongs to', examples: ['example-shop'] }),
    },
  },
  response: { status: 200, body: z.array(RoleWithGroups) },
  errors: ['USER_NOT_FOUND'],
  command: 'users roles',
  cliExamples: [{ title: 'Roles of a user through its business', command: 'alice --business-id acme' }],

  async handle({ params, query: { businessId } }, { store }) {
    const user = await requireUser(store, params.userId);
    if (businessId === undefined) return readRoleSources(store, listMemberIdentities(user));
    if (user.businessId !== businessId) throw apiError('USER_NOT_FOUND', 'The user does not belong to this business.');
    return readRoleSources(
      store,
      listMemberIdentities(user).filter(({ kind }) => kind !== 'user'),
    );
  },
});
