import { GroupReference } from '../../../contract/schemas/group.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { OneOrManyUsers } from '../../../contract/schemas/user.ts';
import { requireGroup } from '../../directory/groups.ts';
import { addMembers, assertUsersExist } from '../../directory/memberships.ts';
import { assertHoldsGroupRoles } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-accesses.add-user',
  title: 'Add users to a group',
  description:
    'Adds users to the group. If one user does not exist, none is added. Existing members are left unchanged. The body is a list, or one user without the brackets.',
  method: 'POST',
  path: '/user-accesses/{groupName}/user-accounts',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE)',
  audit: { kind: 'administration', targets: { path: ['groupName'], body: ['userId'] } },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: { params: { groupName: GroupReference }, body: OneOrManyUsers },
  response: { status: 200, body: Empty },
  errors: ['GROUP_NOT_FOUND', 'USER_UNKNOWN', 'MFA_MISSING', 'TOKEN_LIMIT_EXCEEDED'],
  command: 'groups users add',
  cliExamples: [{ title: 'Two users at once', command: 'ops alice bob' }],

  async handle({ params, body }, { store, caller }) {
    const userIds = new Set(body.map(({ userId }) => userId));
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupName);
      await assertHoldsGroupRoles(tx, group, caller);
      await assertUsersExist(tx, userIds);
      await addMembers(tx, { groupId: group.groupId, kind: 'user' }, userIds);
    });
    return {};
  },
});
