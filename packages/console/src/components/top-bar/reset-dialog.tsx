/** Resets the state to the seed, after a confirmation that says what will be lost. */
import { Loader, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { useRead } from '../../api/use-read.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Equivalents } from '../equivalents.tsx';

interface ResetDialogProps {
  readonly isOpen: boolean;
  onClose(): void;
}

export function ResetDialog({ isOpen, onClose }: ResetDialogProps) {
  const { control } = useConsole();
  const changed = useChanged();
  const reset = useMutation({
    mutationFn: () => unwrap(control.POST('/state/reset', { body: { to: 'seed' } })),
    onSuccess: async () => {
      onClose();
      await changed();
    },
  });
  return (
    <ConfirmDialog
      title="Reset to the seed"
      isOpen={isOpen}
      operation="POST /_iam/state/reset"
      confirmLabel="Reset"
      isPending={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate()}
      onCancel={() => {
        reset.reset();
        onClose();
      }}
    >
      <Stack gap="xs">
        <Text>
          Everything since the start is lost: changes of users, groups and clients, messages, sessions, faults, the
          request log and the coverage. The clock returns to the time of this machine. Tokens that were issued are
          rejected.
        </Text>
        <LostRows />
        <Equivalents
          command="state reset --yes"
          call={{ method: 'POST', path: '/_iam/state/reset', body: { to: 'seed' } }}
        />
      </Stack>
    </ConfirmDialog>
  );
}

/** What follows from the other rows. */
const internalTables = ['codes', 'sendings'];

/** How many rows of each table differ from the seed. */
function LostRows() {
  const diff = useRead(['diff', 'seed'], ({ control }, signal) => control.GET('/state/diff', { signal }), {
    retry: false,
    staleTime: 0,
  });
  if (diff.isLoading) return <Loader size="xs" aria-label="Loading" />;
  // Those who may not read the changes may still reset them.
  if (diff.data === undefined) return undefined;
  const counts = diff.data.tables
    .filter(({ table }) => !internalTables.includes(table))
    .map(({ table, added, removed, changed }) => {
      const parts = Object.entries({ added, removed, changed }).filter(([, rows]) => rows.length > 0);
      return `${table}: ${parts.map(([what, rows]) => `${rows.length} ${what}`).join(', ')}`;
    });
  return <Text size="sm">{counts.length === 0 ? 'Nothing differs from the seed.' : counts.join(' · ')}</Text>;
}
