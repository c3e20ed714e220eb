import { GroupInput, GroupReference, GroupSchema } from '../../../contract/schemas.ts';
import { withAdministratorCheck } from '../../identity/administrators.ts';
import {
  assertGroupNameAvailable,
  assertNoDependencyCycle,
  normalizeGroupRoles,
  requireGroup,
  resolveDependencyIds,
  toGroupView,
} from '../../identity/groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.update',
  title: 'Updates a group',
  description:
    'Replaces the group by what is sent: roles or dependencies that are left out become empty lists, other fields are cleared. If-Match guards against overwriting a change of somebody else.',
  method: 'PUT',
  path: '/groups/{groupId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and ROLE_IAM_ADMIN_MAINTENANCE',
  audit: {
    kind: 'administration',
    targets: { path: ['groupId'], body: ['groupName', 'organizationId', 'businessUnitId', 'roles'] },
  },
  status: ['200e', 204, 400, 401, 404, 422, 500, 503],
  request: { params: { groupId: GroupReference }, body: GroupInput },
  response: { status: 204 },
  errors: [
    'GROUP_NOT_FOUND',
    'CHANGED_MEANWHILE',
    'GROUP_NAME_TAKEN',
    'ROLE_RESERVED',
    'DEPENDENCY_UNKNOWN',
    'DEPENDENCY_CYCLE',
    'LAST_ADMINISTRATOR',
  ],

  async handle({ params, body }, { store, assertMatch: requireMatch }) {
    const { roles = [], dependencies = [], ...given } = body;
    await store.transaction(async (tx) => {
      const current = await requireGroup(tx, params.groupId);
      const { groupId, createdAt } = current;
      requireMatch(GroupSchema, await toGroupView(tx, current));
      await assertGroupNameAvailable(tx, given.groupName, groupId);
      const changed = {
        ...given,
        groupId,
        createdAt,
        roles: normalizeGroupRoles(roles),
        dependencies: await resolveDependencyIds(tx, dependencies),
      };
      await assertNoDependencyCycle(tx, changed);
      await withAdministratorCheck(tx, () => tx.groups.replace(changed));
    });
    return undefined;
  },
});
