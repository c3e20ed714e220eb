import * as z from 'zod';
import { reference } from '../../../contract/entities.ts';
import { apiError } from '../../../contract/errors.ts';
import { RoleWithGroups } from '../../../contract/member-schemas.ts';
import { UserId } from '../../../contract/reference-schemas.ts';
import { readRoleSources } from '../../identity/role-provenance.ts';
import { requireUser } from '../../identity/user-identities.ts';
import { listMemberIdentities } from '../../identity/user-roles.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-accesses.list-user-roles',
  title: 'List User Roles',
  description:
    'Every role that groups give the user, with those of its groups that give it. With businessId only what it has as a user of that business: by the groups of the business, and by those it is in in its name.',
  method: 'GET',
  path: '/user-accesses/user-accounts/{userId}/roles',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: { path: ['userId'] } },
  status: [200, 401, 403, 404, 500],
  request: {
    params: { userId: UserId },
    // Any text: what can't be a business is not the user's either, and must not count as if nothing was asked.
    query: {
      businessId: z
        .string()
        .meta(reference('business', ['id']))
        .optional()
        .describe('Business that the user is of'),
    },
  },
  response: { status: 200, body: z.array(RoleWithGroups) },
  errors: ['USER_NOT_FOUND'],
  command: 'users roles',
  cliExamples: [
    { title: 'What a user may do in the name of its business', command: 'USER_ID --business-id BUSINESS_ID' },
  ],

  async handle({ params, query: { businessId } }, { store }) {
    const user = await requireUser(store, params.userId);
    if (businessId === undefined) return readRoleSources(store, listMemberIdentities(user));
    if (user.businessId !== businessId) throw apiError('USER_NOT_FOUND', 'The business has no such user.');
    return readRoleSources(
      store,
      listMemberIdentities(user).filter(({ kind }) => kind !== 'user'),
    );
  },
});
