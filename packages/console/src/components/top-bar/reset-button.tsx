/** Resets the state to the seed, after a confirmation. */
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { PermittedButton } from '../permitted-button.tsx';

export function ResetButton() {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const reset = useMutation({
    mutationFn: () => unwrap(control.POST('/state/reset', { body: { to: 'seed' } })),
    onSuccess: () => {
      dialog.close();
      return queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <PermittedButton operation="POST /_iam/state/reset" size="compact-sm" variant="default" onClick={dialog.open}>
        Reset
      </PermittedButton>
      <ConfirmDialog
        title="Reset to the seed"
        isOpen={isOpen}
        confirmLabel="Reset"
        isPending={reset.isPending}
        error={reset.error}
        onConfirm={() => reset.mutate()}
        onCancel={dialog.close}
      >
        All users, groups and clients that were added since the start are deleted, also messages, sessions, faults, the
        request log and the coverage. The clock returns to the time of this machine. Tokens that were issued are
        rejected.
      </ConfirmDialog>
    </>
  );
}
