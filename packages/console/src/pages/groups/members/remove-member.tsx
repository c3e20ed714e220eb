/** Removes a member from a group, after a confirmation. */
import { Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Equivalents } from '../../../components/equivalents.tsx';
import { PermittedButton } from '../../../components/permitted-button.tsx';
import { type GroupGraphNode, useGroupsChanged } from '../data/use-groups.ts';
import { type GroupMember, memberIdOf } from '../detail/member-list.tsx';
import {
  formatMemberEquivalents,
  type MemberReference,
  memberOperations,
  removeGroupMember,
} from './member-requests.ts';

interface RemoveMemberProps {
  readonly node: GroupGraphNode;
  readonly member: GroupMember;
}

export function RemoveMember({ node, member }: RemoveMemberProps) {
  const { service } = useConsole();
  const groupsChanged = useGroupsChanged();
  const [isOpen, dialog] = useDisclosure(false);
  const reference = toReference(member);
  const remove = useMutation({
    mutationFn: () => removeGroupMember(service, node.groupId, reference),
    onSuccess: () => {
      dialog.close();
      return groupsChanged();
    },
  });
  const name = formatMemberName(reference);
  return (
    <>
      <PermittedButton
        operation={memberOperations.remove[member.kind]}
        size="compact-sm"
        variant="default"
        onClick={dialog.open}
        aria-label={`Remove ${name}`}
      >
        Remove
      </PermittedButton>
      <ConfirmDialog
        title="Remove a member"
        isOpen={isOpen}
        confirmLabel="Remove the member"
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onCancel={() => {
          remove.reset();
          dialog.close();
        }}
      >
        <Stack gap="xs">
          <Text>
            {name} loses the roles that only the group {node.groupName} gives: {node.roleCount} of its own and{' '}
            {node.inheritedRoleCount} inherited.
          </Text>
          <Equivalents {...formatMemberEquivalents('remove', node, reference)} />
        </Stack>
      </ConfirmDialog>
    </>
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
