/** Contract coverage: which documented statuses and error codes the requests so far have caused. */
import { Checkbox, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { usePage } from '../../api/use-page.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import type { CoverageData } from './coverage-data.ts';
import { CoverageTable } from './coverage-table.tsx';

/** Every request changes it, so it is read at intervals while the page is visible. */
const refetchInterval = 5000;

export default function CoveragePage() {
  const { control } = useConsole();
  const { search: filters, setSearch } = usePage();
  const { search, missing } = filters;
  const { data, error, refetch } = useQuery({
    queryKey: ['coverage'],
    queryFn: ({ signal }) => unwrap(control.GET('/coverage', { signal })),
    refetchInterval,
  });
  const items = data?.items.filter(
    (item) =>
      (search === undefined || item.operation.includes(search.toLowerCase())) &&
      (missing === undefined || [...item.statuses, ...item.codes].some(({ calls }) => calls === 0)),
  );
  return (
    <Stack gap="md">
      <PageTitle actions={<ClearCoverage />}>Coverage</PageTitle>
      <Group align="flex-end" gap="md">
        <SearchInput label="Operation" value={search} onChange={(value) => setSearch({ search: value })} />
        <Checkbox
          label="Only operations with missing statuses or codes"
          checked={missing !== undefined}
          onChange={({ currentTarget }) => setSearch({ missing: currentTarget.checked ? 'yes' : undefined })}
          mb={8}
        />
      </Group>
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
      {data === undefined ? error ? undefined : <Loader size="sm" aria-label="Loading" /> : <Totals report={data} />}
      {items?.length === 0 ? (
        <EmptyState title="No operation matches">Remove the filters to see all operations.</EmptyState>
      ) : undefined}
      {items === undefined || items.length === 0 ? undefined : <CoverageTable items={items} />}
      <Equivalents command={`coverage${missing === undefined ? '' : ' --missing'}`} call={{ path: '/_iam/coverage' }} />
    </Stack>
  );
}

function Totals({ report: { operations, statuses, codes } }: { readonly report: CoverageData }) {
  const parts = [
    ['operations', operations],
    ['documented statuses', statuses],
    ['error codes', codes],
  ] as const;
  return (
    <Text role="status">
      Returned since the start or the last reset:{' '}
      {parts
        .map(([name, { exercised, total, percent }]) => `${exercised} of ${total} ${name} (${percent} %)`)
        .join(', ')}
      .
    </Text>
  );
}

function ClearCoverage() {
  const { control } = useConsole();
  const changed = useChanged('coverage');
  return (
    <WriteAction
      operation="DELETE /_iam/coverage"
      label="Reset the counters"
      title="Reset the counters of coverage"
      confirmLabel="Reset the counters"
      isDangerous
      command="coverage --reset"
      call={{ method: 'DELETE', path: '/_iam/coverage' }}
      send={() => unwrap(control.DELETE('/coverage'))}
      onChanged={changed}
    >
      <Text>All counts of this page begin at 0 again. The request log and the metrics stay.</Text>
    </WriteAction>
  );
}
