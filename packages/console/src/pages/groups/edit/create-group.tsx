/** Creates a group, and opens its page. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { Equivalents, quoteShellArgument } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PermittedButton } from '../../../components/permitted-button.tsx';
import { useGroupsChanged } from '../data/use-groups.ts';
import { emptyGroup, type GroupFields, toGroupInputBody } from './group-changes.ts';
import { GroupForm } from './group-form.tsx';

export function CreateGroup() {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <PermittedButton operation="groups.create" variant="default" onClick={dialog.open}>
        Create a group
      </PermittedButton>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title="Create a group"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <CreateGroupForm onClose={dialog.close} />
      </Modal>
    </>
  );
}

function CreateGroupForm({ onClose }: { onClose(): void }) {
  const { service } = useConsole();
  const navigate = useNavigate();
  const groupsChanged = useGroupsChanged();
  const [fields, setFields] = useState<GroupFields>(emptyGroup);
  const create = useMutation({
    mutationFn: () => unwrap(service.POST('/groups', { body: toGroupInputBody(fields) })),
    onSuccess: ({ groupId }) => {
      onClose();
      void groupsChanged();
      void navigate({ to: '/groups/$', params: { _splat: groupId } as never });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <GroupForm fields={fields} onChange={(changes) => setFields({ ...fields, ...changes })} />
        {create.error ? <ErrorPanel error={create.error} /> : undefined}
        <Equivalents
          command={formatCreateCommand(fields)}
          call={{ method: 'POST', path: '/security/iam/v1/groups', body: toGroupInputBody(fields) }}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function formatCreateCommand({ groupName, organizationId, businessUnitId, roles, dependencies }: GroupFields): string {
  const options = [
    ['group-name', groupName],
    ...roles.map((role) => ['role', role]),
    ...dependencies.map((dependency) => ['dependency', dependency]),
    ['organization-id', organizationId],
    ['business-unit-id', businessUnitId],
  ] as const;
  const given = options.filter(([, value]) => value !== undefined && value !== '');
  return ['groups create', ...given.map(([name, value]) => `--${name} ${quoteShellArgument(value ?? '')}`)].join(' ');
}
