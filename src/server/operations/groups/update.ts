import { apiError } from '../../../contract/errors.ts';
import { GroupInput, GroupReference, GroupSchema } from '../../../contract/schemas/group.ts';
import { replaceGroup } from '../../directory/administrators.ts';
import {
  assertNoDependencyCycle,
  assertNotOther,
  assertVisibleNameAvailable,
  findGroup,
  normalizeGroupRoles,
  readDependencyIds,
  toGroupView,
} from '../../directory/groups.ts';
import { normalizeNewName } from '../../directory/new-names.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.update',
  title: 'Update a group',
  description:
    'Replaces the group with the request body: omitted roles and dependencies become empty lists, and other omitted fields are cleared. Use If-Match to avoid overwriting concurrent changes.',
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
    'NAME_NOT_VISIBLE',
    'GROUP_NOT_FOUND',
    'CHANGED_MEANWHILE',
    'GROUP_NAME_TAKEN',
    'ROLE_RESERVED',
    'DEPENDENCY_UNKNOWN',
    'DEPENDENCY_CYCLE',
    'MFA_MISSING',
    'LAST_ADMINISTRATOR',
    'TOKEN_LIMIT_EXCEEDED',
  ],
  command: 'groups update',
  cliExamples: [
    { title: 'Add one role and remove another', command: 'ops --add-role DEPLOY --remove-role ROLLBACK' },
    {
      title: 'Rename the group and clear its organization',
      command: 'ops --group-name operations --set organizationId=',
    },
    { title: 'Preview the request', command: 'ops --add-dependency leads --dry-run' },
    { title: 'Replace the group with a file', command: 'ops -f ops.yaml --yes' },
  ],

  async handle({ params, body }, { store, issuer, assertMatch }) {
    const { roles = [], dependencies = [], ...fields } = body;
    await store.transaction(async (tx) => {
      const current = await findGroup(tx, params.groupId);
      // First, as a body that is not valid is reported before a missing group.
      const groupName = normalizeNewName('groupName', body.groupName, current?.groupName);
      if (!current) throw apiError('GROUP_NOT_FOUND');
      const { groupId, createdAt } = current;
      // Reads first, so that they need not wait for each other.
      const [view, named, listDependencyIds] = await Promise.all([
        toGroupView(tx, current),
        tx.groups.getBy('groupName', groupName),
        readDependencyIds(tx, dependencies),
      ]);
      assertMatch(GroupSchema, view);
      assertNotOther(named, groupId);
      if (groupName !== current.groupName) await assertVisibleNameAvailable(tx, groupName, groupId);
      const changed = {
        ...fields,
        groupName,
        groupId,
        createdAt,
        roles: normalizeGroupRoles(roles),
        dependencies: listDependencyIds(),
      };
      await assertNoDependencyCycle(tx, changed);
      await replaceGroup(tx, issuer, { before: current, after: changed });
    });
  },
});
