/** Removes a member from a group, after a confirmation. */
import { Text } from '@mantine/core';
import { WriteAction } from '../../../components/write-action.tsx';
import { type GroupGraphNode, groupQueries } from '../data/use-groups.ts';
import {
  formatMemberCommand,
  type GroupMember,
  type MemberReference,
  memberIdOf,
  memberOperations,
  removeMemberRequest,
} from './member-requests.ts';

interface RemoveMemberProps {
  readonly node: GroupGraphNode;
  readonly member: GroupMember;
}

export function RemoveMember({ node, member }: RemoveMemberProps) {
  const reference = toReference(member);
  const name = formatMemberName(reference);
  return (
    <WriteAction
      operation={memberOperations.remove[member.kind]}
      label="Remove"
      accessibleLabel={`Remove ${name}`}
      isCompact
      isDangerous
      title="Remove a member"
      confirmLabel="Remove the member"
      command={formatMemberCommand('remove', node.groupName, reference)}
      request={removeMemberRequest(node.groupId, reference)}
      changes={groupQueries}
    >
      <Text>
        {name} loses the roles that only the group {node.groupName} gives: {node.roleCount} of its own and{' '}
        {node.inheritedRoleCount} inherited.
      </Text>
    </WriteAction>
  );
}

function toReference(member: GroupMember): MemberReference {
  const { kind, businessId } = member;
  const reference = { kind, id: memberIdOf(member) };
  return kind === 'businessUser' && businessId !== undefined ? { ...reference, businessId } : reference;
}

function formatMemberName({ id, businessId }: MemberReference): string {
  return businessId === undefined ? id : `${id} on behalf of ${businessId}`;
}
