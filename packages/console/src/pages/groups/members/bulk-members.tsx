/** What can be done with several members of a group. */
import type { BulkActions } from '../../../components/selection/bulk-action.ts';
import { type GroupGraphNode, groupQueries } from '../data/use-groups.ts';
import {
  formatMemberCommands,
  type GroupMember,
  memberOperations,
  removeMemberRequest,
  toMemberReference,
} from './member-requests.ts';
import { MemberSubject } from './member-subject.tsx';

export function bulkMembers({
  groupId,
  groupName,
}: Pick<GroupGraphNode, 'groupId' | 'groupName'>): BulkActions<GroupMember> {
  return {
    noun: ['member', 'members'],
    keyOf: ({ kind, userId, businessId, serviceId }) => JSON.stringify([kind, userId, businessId, serviceId]),
    nameOf: describeMember,
    render: (member) => <MemberSubject member={toMemberReference(member)} isPlain />,
    changes: groupQueries,
    actions: [
      {
        label: 'Remove',
        operations: Object.values(memberOperations.remove),
        isDangerous: true,
        title: (members) => `Remove ${members}`,
        done: 'removed',
        effect: `They lose the roles that only the group ${groupName} gives.`,
        request: (member) => removeMemberRequest(groupId, toMemberReference(member)),
        commands: (members) => formatMemberCommands('remove', groupName, members.map(toMemberReference)),
      },
    ],
  };
}

/** A user can also be a member on behalf of businesses. */
function describeMember(member: GroupMember): string {
  const { id, name = id, businessId, businessName = businessId } = toMemberReference(member);
  return businessId === undefined ? name : `${name} on behalf of ${businessName}`;
}
