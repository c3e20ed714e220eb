/** Adds a member of any kind to a group. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { Equivalents } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PermittedButton } from '../../../components/permitted-button.tsx';
import { type GroupGraphNode, useGroupsChanged } from '../data/use-groups.ts';
import { addGroupMember, formatMemberEquivalents, type MemberReference, memberOperations } from './member-requests.ts';
import { type MemberFields, MemberSelect } from './member-select.tsx';

export function AddMember({ node }: { readonly node: GroupGraphNode }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Group>
        <PermittedButton
          operation={Object.values(memberOperations.add)}
          size="compact-md"
          variant="default"
          onClick={dialog.open}
        >
          Add a member
        </PermittedButton>
      </Group>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={`Add a member to ${node.groupName}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <AddMemberForm node={node} onClose={dialog.close} />
      </Modal>
    </>
  );
}

function AddMemberForm({ node, onClose }: { readonly node: GroupGraphNode; onClose(): void }) {
  const { service } = useConsole();
  const groupsChanged = useGroupsChanged();
  const [fields, setFields] = useState<MemberFields>({ kind: 'user' });
  const member = toMember(fields);
  const add = useMutation({
    mutationFn: (chosen: MemberReference) => addGroupMember(service, node.groupId, chosen),
    onSuccess: () => {
      onClose();
      return groupsChanged();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (member !== undefined) add.mutate(member);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <MemberSelect fields={fields} onChange={setFields} />
        {add.error ? <ErrorPanel error={add.error} /> : undefined}
        {member === undefined ? undefined : <Equivalents {...formatMemberEquivalents('add', node, member)} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <PermittedButton
            operation={memberOperations.add[fields.kind]}
            type="submit"
            loading={add.isPending}
            disabled={member === undefined}
          >
            Add
          </PermittedButton>
        </Group>
      </Stack>
    </form>
  );
}

/** Undefined until all fields of the kind are chosen. */
function toMember({ kind, id, businessId }: MemberFields): MemberReference | undefined {
  if (id === undefined) return undefined;
  if (kind !== 'businessUser') return { kind, id };
  return businessId === undefined ? undefined : { kind, id, businessId };
}
