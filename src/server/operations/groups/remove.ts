import { apiError } from '../../../contract/errors.ts';
import { GroupReference, GroupSchema } from '../../../contract/schemas/group.ts';
import { canRemoveAdministrator, withAdministratorCheck } from '../../directory/administrators.ts';
import { requireGroup, toGroupView } from '../../directory/groups.ts';
import type { Transaction } from '../../store/store.ts';
import { type Group, membershipKey } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'groups.remove',
  title: 'Delete a group',
  description: 'Deletes a group and all memberships in it. A group that other groups depend on cannot be deleted.',
  method: 'DELETE',
  path: '/groups/{groupId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['groupId'] } },
  status: [204, 401, 403, 404, 412, 500],
  request: { params: { groupId: GroupReference } },
  response: { status: 204 },
  errors: ['GROUP_NOT_FOUND', 'CHANGED_MEANWHILE', 'GROUP_IN_USE', 'LAST_ADMINISTRATOR'],
  command: 'groups delete',
  cliExamples: [
    { title: 'Without confirmation', command: 'ops --yes' },
    { title: 'Several, if they exist', command: 'leads ops --yes --if-exists' },
  ],

  async handle({ params }, { store, issuer, assertMatch }) {
    await store.transaction(async (tx) => {
      const group = await requireGroup(tx, params.groupId);
      assertMatch(GroupSchema, await toGroupView(tx, group));
      await assertUnused(tx, group);
      const remove = () => removeWithMembers(tx, group);
      await (canRemoveAdministrator(group) ? withAdministratorCheck(tx, issuer, remove) : remove());
    });
  },
});

async function assertUnused(tx: Transaction, group: Group): Promise<void> {
  const dependents = await tx.groups.find('dependency', group.groupId, { limit: 5 });
  if (dependents.length === 0) return;
  const names = dependents.map((dependent) => JSON.stringify(dependent.groupName)).join(', ');
  throw apiError('GROUP_IN_USE', `Other groups depend on this group: ${names}.`);
}

async function removeWithMembers(tx: Transaction, group: Group): Promise<void> {
  for (const membership of await tx.memberships.find('group', group.groupId))
    await tx.memberships.delete(membershipKey(membership));
  await tx.groups.delete(group.groupId);
}
