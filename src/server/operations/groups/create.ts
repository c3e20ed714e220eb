import * as z from 'zod';
import { GroupInput } from '../../../contract/schemas/group.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import { assertGroupNameAvailable, normalizeGroupRoles, resolveDependencyIds } from '../../directory/groups.ts';
import { normalizeNewName } from '../../directory/new-names.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.create',
  title: 'Create a group',
  description: 'Creates a group with its roles and dependencies. The server generates the id and returns it.',
  method: 'POST',
  path: '/groups',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: {
    kind: 'administration',
    targets: {
      body: ['groupName', 'organizationId', 'businessUnitId', 'roles'],
      response: ['groupId'],
    },
  },
  status: [201, 400, 401, 403, 412, 422, 500, 503],
  request: { body: GroupInput },
  response: {
    status: 201,
    body: z.strictObject({ groupId: exampleText('64b0c0ffee00000000000001') }),
  },
  errors: [
    'NAME_NOT_VISIBLE',
    'GROUP_NAME_TAKEN',
    'ROLE_RESERVED',
    'DEPENDENCY_UNKNOWN',
    'MFA_MISSING',
    'TOKEN_LIMIT_EXCEEDED',
    'LAST_ADMINISTRATOR',
  ],
  creates: 'group',
  command: 'groups create',
  cliExamples: [
    { title: 'A group with two roles', command: '--group-name ops --role DEPLOY --role ROLLBACK' },
    {
      title: 'A group that inherits the roles of another group',
      command: '--group-name leads --role APPROVE --dependency ops',
    },
  ],

  async handle({ body }, { store, ids, clock }) {
    const { organizationId, businessUnitId, roles = [], dependencies = [] } = body;
    const groupName = normalizeNewName('groupName', body.groupName);
    return store.transaction(async (tx) => {
      await assertGroupNameAvailable(tx, groupName);
      const groupId = ids.newId();
      await tx.groups.insert({
        groupId,
        groupName,
        roles: normalizeGroupRoles(roles),
        dependencies: await resolveDependencyIds(tx, dependencies),
        createdAt: clock.now().toISOString(),
        // Last: with Node 20, each field after a spread takes a microsecond.
        ...(organizationId === undefined ? {} : { organizationId }),
        ...(businessUnitId === undefined ? {} : { businessUnitId }),
      });
      return { groupId };
    });
  },
});
