import { apiError } from '../../../contract/errors.ts';
import { DependencyOfGroup, GroupReference } from '../../../contract/schemas/group.ts';
import { replaceGroup } from '../../directory/administrators.ts';
import { findGroup, requireGroup } from '../../directory/groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.remove-dependency',
  title: 'Remove a dependency from a group',
  description: 'Removes the dependency. The group no longer inherits the roles of the other group.',
  method: 'DELETE',
  path: '/groups/{groupId}/dependency/{dependencyName}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and ROLE_IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['groupId', 'dependencyName'] } },
  status: ['200e', 204, 401, 404, 500],
  request: { params: { groupId: GroupReference, dependencyName: DependencyOfGroup } },
  response: { status: 204 },
  errors: ['GROUP_NOT_FOUND', 'DEPENDENCY_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  command: 'groups remove-dependency',
  destructive: false,
  cliExamples: [{ title: 'Group leads no longer inherits the roles of ops', command: 'leads ops' }],

  async handle({ params }, { store, issuer }) {
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      const other = await findGroup(tx, params.dependencyName);
      if (!other || !group.dependencies.includes(other.groupId)) throw apiError('DEPENDENCY_NOT_FOUND');
      const dependencies = group.dependencies.filter((groupId) => groupId !== other.groupId);
      await replaceGroup(tx, issuer, { before: group, after: { ...group, dependencies } });
    });
  },
});
