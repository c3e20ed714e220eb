import { Dependency, GroupReference } from '../../../contract/schemas/group.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { assertNoDependencyCycle, requireDependency, requireGroup } from '../../directory/groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.add-dependency',
  title: 'Add a dependency to a group',
  description: 'Makes the group inherit the roles of another group. An existing dependency is left unchanged.',
  method: 'POST',
  path: '/groups/{groupId}/dependency',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['groupId'], body: ['groupName'] } },
  status: [201, 400, 401, 403, 404, 422, 500],
  request: { params: { groupId: GroupReference }, body: Dependency },
  response: { status: 201, body: Empty },
  errors: [
    'GROUP_NOT_FOUND',
    'DEPENDENCY_UNKNOWN',
    'DEPENDENCY_CYCLE',
    'MFA_MISSING',
    'TOKEN_LIMIT_EXCEEDED',
    'LAST_ADMINISTRATOR',
  ],
  command: 'groups add-dependency',
  cliExamples: [{ title: 'Group leads inherits the roles of ops', command: 'leads --group-name ops' }],

  async handle({ params, body }, { store }) {
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      const { groupId } = await requireDependency(tx, body.groupName);
      if (group.dependencies.includes(groupId)) return;
      const changed = { ...group, dependencies: [...group.dependencies, groupId] };
      await assertNoDependencyCycle(tx, changed);
      await tx.groups.replace(changed);
    });
    return {};
  },
});
