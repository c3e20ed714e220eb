import { parseRoles } from '../../../contract/roles.ts';
import { GroupReference, Id } from '../../../contract/schemas.ts';
import { requireGroup } from '../../identity/groups.ts';
import { removeMember } from '../../identity/memberships.ts';
import { requireReachedGroup } from '../../identity/rules.ts';
import { defineOperation } from '../define.ts';

const roles =
  'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and (ADMIN or IAM_ADMIN_MAINTENANCE) or CLI-1STPARTY and CLI-AUTH-BASIC';
const admission = parseRoles(roles);

export default defineOperation({
  id: 'user-accesses.remove-user',
  title: 'Groups - Remove User',
  description:
    'Takes a user out of the group. A client without administrative roles does not reach groups that make administrators; the last administrator stays.',
  method: 'DELETE',
  path: '/user-accesses/{groupName}/user-accounts/{userId}',
  auth: 'caller',
  roles,
  status: ['200e', 204, 401, 404, 500],
  request: { params: { groupName: GroupReference, userId: Id.describe('User id') } },
  response: { status: 204 },
  errors: ['GROUP_NOT_FOUND', 'MEMBERSHIP_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  command: 'groups users remove',
  examples: [{ title: 'Without being asked', command: 'ops USER_ID --yes' }],

  async handle({ params }, { store, caller }) {
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupName);
      await requireReachedGroup(tx, group, admission, caller);
      await removeMember(tx, { groupId: group.groupId, kind: 'user', memberId: params.userId });
    });
    return undefined;
  },
});
