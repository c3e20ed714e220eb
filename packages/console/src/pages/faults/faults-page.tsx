/** Fault injection: the rules, and a form that adds one. */
import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { usePage } from '../../api/use-page.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { emptyDraft } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';
import { FaultList } from './fault-list.tsx';

const queryKey = ['faults'];

/** Counts change with requests, which are not in the topic of the faults. */
const countInterval = 3000;

function useFaultRemoval() {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string | undefined) =>
      unwrap(control.DELETE('/faults', { params: { query: id === undefined ? {} : { id } } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
}

export default function FaultsPage() {
  const { control } = useConsole();
  const { search } = usePage();
  const { operation = '', caller = '', status = emptyDraft.status } = search;
  const faults = useQuery({
    queryKey,
    queryFn: ({ signal }) => unwrap(control.GET('/faults', { signal })),
    refetchInterval: countInterval,
  });
  const remove = useFaultRemoval();
  const rules = faults.data ?? [];
  return (
    <Stack gap="md">
      <PageTitle actions={<RemoveAllButton count={rules.length} />}>Faults</PageTitle>
      {faults.error ? <ErrorPanel error={faults.error} onRetry={faults.refetch} /> : undefined}
      {remove.error ? <ErrorPanel error={remove.error} /> : undefined}
      {faults.data && rules.length === 0 ? (
        <EmptyState title="No faults" command="iam faults add --operation groups.create --nth 3 --fail 503">
          A fault makes requests fail on purpose, so that you see what your program does. Add one with this form.
        </EmptyState>
      ) : undefined}
      {rules.length > 0 ? <FaultList faults={rules} onRemove={remove.mutate} /> : undefined}
      <FaultForm key={`${operation} ${caller} ${status}`} initial={{ ...emptyDraft, operation, caller, status }} />
      <Equivalents command="faults list" call={{ path: '/_iam/faults' }} />
    </Stack>
  );
}

function RemoveAllButton({ count }: { readonly count: number }) {
  const [isOpen, dialog] = useDisclosure(false);
  const remove = useFaultRemoval();
  return (
    <>
      <PermittedButton operation="DELETE /_iam/faults" variant="default" disabled={count === 0} onClick={dialog.open}>
        Remove all
      </PermittedButton>
      <ConfirmDialog
        title="Remove all faults"
        isOpen={isOpen}
        confirmLabel="Remove all faults"
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined, { onSuccess: dialog.close })}
        onCancel={dialog.close}
      >
        {count === 1 ? '1 rule is' : `${count} rules are`} removed. Requests that a rule already delays are not
        affected.
      </ConfirmDialog>
    </>
  );
}
