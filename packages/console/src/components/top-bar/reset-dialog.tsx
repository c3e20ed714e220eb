/** Resets the state to the seed, after a confirmation that says what will be lost. */
import { Stack, Text } from '@mantine/core';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { LostObjects } from '../changes/lost-objects.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Equivalents } from '../equivalents.tsx';
import { useWrite } from '../forms/use-write.ts';

interface ResetDialogProps {
  readonly isOpen: boolean;
  onClose(): void;
}

export function ResetDialog({ isOpen, onClose }: ResetDialogProps) {
  const changed = useChanged();
  const reset = useWrite({
    changed,
    send: ({ control }) => unwrap(control.POST('/state/reset', { body: { to: 'seed' } })),
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
        reset.cancel();
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
        <LostObjects from="seed" onLeave={onClose} />
        <Equivalents
          command="state reset --yes"
          call={{ method: 'POST', path: '/_iam/state/reset', body: { to: 'seed' } }}
        />
      </Stack>
    </ConfirmDialog>
  );
}
