/** Named snapshots: save, restore, delete. */
import { Group, ScrollArea, Stack, Table, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useRead } from '../../api/use-read.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { PageSection } from '../../components/section.tsx';
import { formatTime } from '../../components/server-time.tsx';

export function useSnapshots() {
  return useRead(['snapshots'], ({ control }, signal) =>
    control.GET('/state/snapshots', { params: { query: { limit: 1000 } }, signal }),
  );
}

type SnapshotAction = 'restore' | 'delete';

export function SnapshotList() {
  const [chosen, setChosen] = useState<{ name: string; action: SnapshotAction } | undefined>();
  const snapshots = useSnapshots();
  return (
    <PageSection title="Snapshots">
      <SaveForm />
      {snapshots.error ? <ErrorPanel error={snapshots.error} onRetry={snapshots.refetch} /> : undefined}
      {snapshots.data?.length === 0 ? (
        <EmptyState title="No snapshots" command="iam state save before-checkout">
          A snapshot keeps all users, groups, clients, messages and sessions until the server stops.
        </EmptyState>
      ) : undefined}
      {snapshots.data && snapshots.data.length > 0 ? (
        <ScrollArea viewportProps={{ tabIndex: 0, 'aria-label': 'Snapshots' }}>
          <Table aria-label="Snapshots" miw={560}>
            <Table.Thead>
              <Table.Tr>
                {['Name', 'Saved', 'Rows', 'Actions'].map((title) => (
                  <Table.Th key={title} scope="col">
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {snapshots.data.map(({ name, createdAt, rows }) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>{formatTime(createdAt)}</Table.Td>
                  <Table.Td>{rows}</Table.Td>
                  <Table.Td>
                    <Group gap="xs">
                      {(['restore', 'delete'] as const).map((action) => (
                        <PermittedButton
                          key={action}
                          operation={operations[action]}
                          size="compact-sm"
                          variant="default"
                          aria-label={`${titles[action]} the snapshot ${name}`}
                          onClick={() => setChosen({ name, action })}
                        >
                          {titles[action]}
                        </PermittedButton>
                      ))}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      ) : undefined}
      <SnapshotDialog chosen={chosen} onClose={() => setChosen(undefined)} />
    </PageSection>
  );
}

const titles = { restore: 'Restore', delete: 'Delete' };
const operations = {
  restore: 'POST /_iam/state/snapshots/{name}/restore',
  delete: 'DELETE /_iam/state/snapshots/{name}',
} as const;

function SaveForm() {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { name: '' } });
  const save = useMutation({
    mutationFn: ({ name }: typeof form.values) => unwrap(control.POST('/state/snapshots', { body: { name } as never })),
    onSuccess: () => {
      form.reset();
      return queryClient.invalidateQueries({ queryKey: ['snapshots'] });
    },
  });
  const { name } = form.values;
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="xs">
        <Group align="flex-end">
          <TextInput label="Name of a new snapshot" required {...form.getInputProps('name')} />
          <PermittedButton operation="POST /_iam/state/snapshots" type="submit" loading={save.isPending}>
            Save
          </PermittedButton>
        </Group>
        {save.error ? <ErrorPanel error={save.error} /> : undefined}
        <Equivalents
          command={`state save ${quotePositional(name || 'NAME')}`}
          call={{ method: 'POST', path: '/_iam/state/snapshots', body: { name: name || 'NAME' } }}
        />
      </Stack>
    </form>
  );
}

interface SnapshotDialogProps {
  readonly chosen: { readonly name: string; readonly action: SnapshotAction } | undefined;
  onClose(): void;
}

function SnapshotDialog({ chosen, onClose }: SnapshotDialogProps) {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: ({ name, action }: NonNullable<SnapshotDialogProps['chosen']>) => {
      const params = { path: { name } };
      return action === 'restore'
        ? unwrap(control.POST('/state/snapshots/{name}/restore', { params }))
        : unwrap(control.DELETE('/state/snapshots/{name}', { params }));
    },
    onSuccess: () => {
      onClose();
      return queryClient.invalidateQueries();
    },
  });
  const action = chosen?.action ?? 'restore';
  return (
    <ConfirmDialog
      title={`${titles[action]} the snapshot ${chosen?.name ?? ''}`}
      isOpen={chosen !== undefined}
      confirmLabel={titles[action]}
      isPending={change.isPending}
      error={change.error}
      onConfirm={() => chosen && change.mutate(chosen)}
      onCancel={onClose}
    >
      {action === 'restore'
        ? 'Everything that changed since it was saved is lost: users, groups, clients, messages and sessions.'
        : 'The snapshot is deleted. The current state remains.'}
    </ConfirmDialog>
  );
}
