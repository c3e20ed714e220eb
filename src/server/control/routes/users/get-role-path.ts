import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { isReservedRole, stripRolePrefix } from '../../../../contract/roles.ts';
import { exampleInt, exampleText, Id } from '../../../../contract/schemas/primitives.ts';
import { RoleName } from '../../../../contract/schemas/role.ts';
import { findRolePaths } from '../../../directory/role-provenance.ts';
import { listMemberIdentities } from '../../../directory/user-roles.ts';
import { requireUser } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';

const maxPaths = 20;
const maxGrantingGroups = 20;

const RolePaths = z.strictObject({
  userId: exampleText('alice'),
  userName: exampleText('alice'),
  role: exampleText('DEPLOY', 'Without the prefix ROLE_'),
  granted: z.boolean().meta({ description: 'Whether a group grants the role to the user', examples: [true] }),
  reserved: z.boolean().meta({
    description: 'Whether only the service grants the role, at login or by the kind of user, and never a group',
    examples: [false],
  }),
  paths: z
    .array(
      z.strictObject({
        kind: z.enum(['user', 'business', 'businessUser', 'service']).describe('Kind of the membership'),
        groups: z
          .array(
            z.strictObject({
              groupId: exampleText('64b0c0ffee00000000000001'),
              groupName: exampleText('ops'),
            }),
          )
          .describe(
            'From the direct group of the user, over its dependencies, to the group that has the role; the shortest',
          ),
      }),
    )
    .describe(`One path for each direct group that grants the role, the shortest first; at most ${maxPaths}`),
  pathCount: exampleInt(1, 'Number of direct groups that grant the role'),
  grantedByGroups: z.array(z.string()).meta({
    description: `Names of groups that have the role themselves, in which a membership would grant it; at most ${maxGrantingGroups}`,
    examples: [['ops']],
  }),
});

export default defineRoute({
  capability: 'read',
  id: 'control.user-role-path',
  title: 'Show the groups that grant a role to a user',
  description:
    'Returns the dependency path from a group of the user, or of its business, to the group that has the role. Without such a path, granted is false and grantedByGroups names the groups that have the role. `iam can` shows the same.',
  method: 'GET',
  path: '/users/{id}/roles/{role}/path',
  audit: { kind: 'read', targets: { path: ['id', 'role'] } },
  request: { params: { id: Id.meta({ examples: ['alice'], ...reference('user', ['id']) }), role: RoleName } },
  response: { status: 200, body: RolePaths },
  errors: ['USER_NOT_FOUND'],

  async handle({ params }, { store }) {
    const user = await requireUser(store, params.id);
    const role = stripRolePrefix(params.role);
    const { paths, pathCount } = await findRolePaths(store, listMemberIdentities(user), { role, limit: maxPaths });
    const granting = await store.groups.find('role', role, { limit: maxGrantingGroups });
    return {
      userId: user.userId,
      userName: user.userName,
      role,
      granted: pathCount > 0,
      reserved: isReservedRole(role),
      paths: paths.map(({ kind, groups }) => ({
        kind,
        groups: groups.map(({ groupId, groupName }) => ({ groupId, groupName })),
      })),
      pathCount,
      grantedByGroups: granting.map(({ groupName }) => groupName).sort(),
    };
  },
});
