/** Fault injection: the rules, and a form that adds one. */

import { Stack } from '@mantine/core';
import { usePage } from '../../api/use-page.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { useBulkActions } from '../../components/selection/use-bulk-actions.tsx';
import { formatCount } from '../../components/texts/format-count.ts';
import { useFaultRemoval, useFaults } from '../../components/top-bar/faults-menu.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { bulkFaults } from './bulk-faults.tsx';
import { emptyDraft } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';
import { FaultList } from './fault-list.tsx';
import { FaultPresets } from './fault-presets.tsx';

/** Counts change with requests, which are not in the topic of the faults. */
const countInterval = 3000;

export default function FaultsPage() {
  const { search } = usePage();
  const { operation = '', caller = '', status = emptyDraft.status } = search;
  const faults = useFaults({ refetchInterval: countInterval });
  const remove = useFaultRemoval();
  const rules = faults.data ?? [];
  const { selection, renderBar } = useBulkActions({ bulk: bulkFaults, rows: rules, scope: '' });
  return (
    <Stack gap="md">
      <PageTitle actions={renderBar(<RemoveAllButton count={rules.length} />)}>Faults</PageTitle>
      {faults.error ? <ErrorPanel error={faults.error} onRetry={faults.refetch} /> : undefined}
      {remove.error ? <ErrorPanel error={remove.error} /> : undefined}
      {rules.length > 0 ? <FaultList faults={rules} selection={selection} onRemove={remove.mutate} /> : undefined}
      <FaultPresets isFirst={faults.data?.length === 0} />
      <FaultForm key={`${operation} ${caller} ${status}`} initial={{ ...emptyDraft, operation, caller, status }} />
    </Stack>
  );
}

function RemoveAllButton({ count }: { readonly count: number }) {
  return (
    <WriteAction
      operation="DELETE /_iam/faults"
      label="Remove all"
      disabledReason={count === 0 ? 'Nothing to remove.' : undefined}
      isDangerous
      title="Remove all faults"
      confirmLabel="Remove all faults"
      request={({ control }) => control.DELETE('/faults')}
      changes={['faults']}
      done="All faults were removed."
    >
      {formatCount(count, 'rule is', 'rules are')} removed. Requests that a rule already delays are not affected.
    </WriteAction>
  );
}
