import * as z from 'zod';
import { GroupReference } from '../../../contract/schemas/group.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { RoleName } from '../../../contract/schemas/role.ts';
import { normalizeGroupRoles, requireGroup } from '../../directory/groups.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.add-role',
  title: 'Add a role to a group',
  description: 'Adds a role to the group. An existing role is left unchanged.',
  method: 'POST',
  path: '/groups/{groupId}/role',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['groupId'], body: ['roleName'] } },
  status: [201, 400, 401, 403, 404, 422, 500],
  request: { params: { groupId: GroupReference }, body: z.strictObject({ roleName: RoleName }) },
  response: { status: 201, body: Empty },
  errors: ['GROUP_NOT_FOUND', 'ROLE_RESERVED', 'MFA_MISSING', 'TOKEN_LIMIT_EXCEEDED', 'LAST_ADMINISTRATOR'],
  command: 'groups add-role',
  cliExamples: [{ title: 'Add one role', command: 'ops --role-name DEPLOY' }],

  async handle({ params, body }, { store }) {
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      const roles = [...new Set([...group.roles, ...normalizeGroupRoles([body.roleName])])];
      if (roles.length > group.roles.length) await tx.groups.replace({ ...group, roles });
    });
    return {};
  },
});
