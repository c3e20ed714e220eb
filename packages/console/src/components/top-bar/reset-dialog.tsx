/** Resets the state to the seed, after a confirmation that says what will be lost. */
import { Anchor, Loader, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
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
        <LostRows onLeave={onClose} />
        <Equivalents
          command="state reset --yes"
          call={{ method: 'POST', path: '/_iam/state/reset', body: { to: 'seed' } }}
        />
      </Stack>
    </ConfirmDialog>
  );
}

/** Objects named in the dialog: the page State has all. */
const maxNamed = 5;

/** Which objects differ from the seed. */
function LostRows({ onLeave }: { onLeave(): void }) {
  const diff = useRead(
    ['diff', 'seed'],
    // The counts are those of all pages.
    ({ control }, signal) => control.GET('/state/diff/objects', { params: { query: { limit: maxNamed } }, signal }),
    { retry: false, staleTime: 0 },
  );
  if (diff.isLoading) return <Loader size="xs" aria-label="Loading" />;
  // Those who may not read the changes may still reset them.
  if (diff.data === undefined) return undefined;
  const { objects, counts } = diff.data;
  const total = counts.reduce((sum, { created, changed, deleted }) => sum + created + changed + deleted, 0);
  if (total === 0) return <Text size="sm">No object differs from the seed.</Text>;
  const named = objects.map(({ entity, id, name = id, action }) => `${describeKind(entity)} ${name} (${action})`);
  return (
    <Text size="sm" component="div">
      Different from the seed: <bdi>{named.join(', ')}</bdi>
      {total > objects.length ? ` and ${(total - objects.length).toLocaleString('en')} more` : ''}.{' '}
      <Anchor component={Link} to="/state" inherit underline="always" onClick={onLeave}>
        Compare
      </Anchor>
    </Text>
  );
}

/** `corporateGroup` as "corporate group". */
function describeKind(entity: string): string {
  return entity.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace('api ', 'API ');
}
