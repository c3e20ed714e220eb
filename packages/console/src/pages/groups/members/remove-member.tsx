/** Removes a member from a group, after a confirmation. */
import { Text } from '@mantine/core';
import { Subject } from '../../../components/subject.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type GroupGraphNode, groupQueries } from '../data/use-groups.ts';
import {
  formatMemberCommand,
  type GroupMember,
  memberOperations,
  removeMemberRequest,
  toMemberReference,
} from './member-requests.ts';
import { MemberSubject } from './member-subject.tsx';

interface RemoveMemberProps {
  readonly node: GroupGraphNode;
  readonly member: GroupMember;
}

export function RemoveMember({ node, member }: RemoveMemberProps) {
  const reference = toMemberReference(member);
  const { id, name = id, businessId, businessName = businessId } = reference;
  return (
    <WriteAction
      operation={memberOperations.remove[member.kind]}
      label="Remove"
      accessibleLabel={`Remove ${name}${businessId === undefined ? '' : ` on behalf of ${businessName}`}`}
      isCompact
      isDangerous
      title="Remove a member"
      confirmLabel="Remove the member"
      done={`Removed ${name} from ${node.groupName}.`}
      command={formatMemberCommand('remove', node.groupName, reference)}
      request={removeMemberRequest(node.groupId, reference)}
      changes={groupQueries}
    >
      <Text>
        <MemberSubject member={reference} isPlain />
        {businessId === undefined ? undefined : (
          <>
            {' '}
            on behalf of <Subject kind="business" id={businessId} name={businessName} isPlain />
          </>
        )}{' '}
        loses the roles that only the group {node.groupName} gives: {node.roleCount} of its own and{' '}
        {node.inheritedRoleCount} inherited.
      </Text>
    </WriteAction>
  );
}
