/** Named snapshots: save, restore, delete. */
import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ControlData } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useRead } from '../../api/use-read.ts';
import { LostObjects } from '../../components/changes/lost-objects.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { useFieldErrors } from '../../components/forms/use-field-errors.ts';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import { PageSection } from '../../components/section.tsx';
import { RelativeTime } from '../../components/server-time.tsx';
import { WriteAction } from '../../components/write-action.tsx';

export function useSnapshots() {
  return useRead(['snapshots'], ({ control }, signal) =>
    control.GET('/state/snapshots', { params: { query: { limit: 1000 } }, signal }),
  );
}

const columns: RowColumn<ControlData<'/state/snapshots'>[number]>[] = [
  { title: 'Name', width: 'minmax(12rem, 2fr)', render: ({ name }) => name },
  { title: 'Saved', width: '8rem', phone: 'detail', render: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { title: 'Rows', width: '5rem', align: 'end', render: ({ rows }) => rows.toLocaleString('en') },
  { title: 'Actions', width: '9.5rem', phone: 'action', render: ({ name }) => <SnapshotActions name={name} /> },
];

export function SnapshotList() {
  const snapshots = useSnapshots();
  return (
    <PageSection title="Snapshots">
      <SaveForm />
      {snapshots.error ? <ErrorPanel error={snapshots.error} onRetry={snapshots.refetch} /> : undefined}
      {snapshots.data?.length === 0 ? (
        <Text c="dimmed">
          No snapshots yet. One keeps all users, groups, clients, messages and sessions until the server stops.
        </Text>
      ) : undefined}
      {snapshots.data && snapshots.data.length > 0 ? (
        <RowList
          label="All snapshots"
          rows={snapshots.data}
          columns={columns}
          keyOf={({ name }) => name}
          isCounted={false}
        />
      ) : undefined}
    </PageSection>
  );
}

function SnapshotActions({ name }: { readonly name: string }) {
  const params = { path: { name } };
  const common = { isDangerous: true, isCompact: true };
  return (
    <Group gap="xs">
      <WriteAction
        {...common}
        operation="POST /_iam/state/snapshots/{name}/restore"
        label="Restore"
        accessibleLabel={`Restore the snapshot ${name}`}
        title={`Restore the snapshot ${name}`}
        confirmLabel="Restore"
        done={`Restored the snapshot ${name}.`}
        command={`state restore --yes ${quotePositional(name)}`}
        request={({ control }) => control.POST('/state/snapshots/{name}/restore', { params })}
      >
        <Text>Everything that changed since it was saved is lost: users, groups, clients, messages and sessions.</Text>
        <LostObjects from={name} />
      </WriteAction>
      <WriteAction
        {...common}
        operation="DELETE /_iam/state/snapshots/{name}"
        label="Delete"
        accessibleLabel={`Delete the snapshot ${name}`}
        title={`Delete the snapshot ${name}`}
        confirmLabel="Delete"
        done={`Deleted the snapshot ${name}.`}
        command={`state delete ${quotePositional(name)}`}
        request={({ control }) => control.DELETE('/state/snapshots/{name}', { params })}
      >
        The snapshot is deleted. The current state remains.
      </WriteAction>
    </Group>
  );
}

function SaveForm() {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name === '' ? 'A snapshot needs a name.' : null) },
  });
  const errors = useFieldErrors({ form });
  const save = useMutation({
    mutationFn: ({ name }: typeof form.values) => unwrap(control.POST('/state/snapshots', { body: { name } as never })),
    onMutate: errors.clear,
    onError: errors.show,
    onSuccess: () => {
      form.reset();
      return queryClient.invalidateQueries({ queryKey: ['snapshots'] });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="xs">
        <div className="save-form">
          <TextInput label="Name of a new snapshot" required withAsterisk={false} {...form.getInputProps('name')} />
          <PermittedButton operation="POST /_iam/state/snapshots" type="submit" loading={save.isPending}>
            Save
          </PermittedButton>
        </div>
        {errors.rest === undefined ? undefined : <ErrorPanel error={errors.rest} />}
      </Stack>
    </form>
  );
}
