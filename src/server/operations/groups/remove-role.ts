import { apiError } from '../../../contract/errors.ts';
import { stripRolePrefix } from '../../../contract/roles.ts';
import { GroupReference, RoleOfGroup } from '../../../contract/schemas/group.ts';
import { replaceGroup } from '../../directory/administrators.ts';
import { requireGroup } from '../../directory/groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.remove-role',
  title: 'Remove a role from a group',
  description: 'Removes a direct role from the group. Inherited roles cannot be removed here.',
  method: 'DELETE',
  path: '/groups/{groupId}/role/{roleName}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['groupId', 'roleName'] } },
  status: [204, 401, 403, 404, 412, 500],
  request: { params: { groupId: GroupReference, roleName: RoleOfGroup } },
  response: { status: 204 },
  errors: ['GROUP_NOT_FOUND', 'ROLE_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  command: 'groups remove-role',
  destructive: false,
  cliExamples: [{ title: 'Remove one role', command: 'ops DEPLOY' }],

  async handle({ params }, { store, issuer }) {
    const role = stripRolePrefix(params.roleName);
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      if (!group.roles.includes(role)) throw apiError('ROLE_NOT_FOUND');
      const roles = group.roles.filter((name) => name !== role);
      await replaceGroup(tx, issuer, { before: group, after: { ...group, roles } });
    });
  },
});
