/** Contract coverage: which documented statuses and error codes the requests so far have caused. */
import { Checkbox, Loader, Stack, Text } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { usePage } from '../../api/use-page.ts';
import { useRead } from '../../api/use-read.ts';
import { EmptyState, NoMatch } from '../../components/empty-state.tsx';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Figures } from '../../components/lists/figures.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { FilterLine, SearchInput } from '../../components/search-input.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { CoverageTable } from './coverage-table.tsx';

/** Every request changes it, so it is read at intervals while the page is visible. */
const refetchInterval = 5000;

type CoverageData = ControlData<'/coverage'>;

const readCoverage: ApiRequest<CoverageData> = ({ control }, signal) => control.GET('/coverage', { signal });

export default function CoveragePage() {
  const { search: filters, setSearch } = usePage();
  const { search, missing } = filters;
  const { data, error, refetch } = useRead(['coverage'], readCoverage, { refetchInterval });
  const items = data?.items.filter(
    (item) =>
      (search === undefined || item.operation.includes(search.toLowerCase())) &&
      (missing === undefined || [...item.statuses, ...item.codes].some(({ calls }) => calls === 0)),
  );
  const isEmpty = data?.operations.exercised === 0;
  return (
    <Stack gap="md">
      <PageTitle actions={<ClearCoverage isEmpty={isEmpty} />}>Coverage</PageTitle>
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
      {data === undefined ? error ? undefined : <Loader size="sm" aria-label="Loading" /> : <Totals report={data} />}
      {isEmpty ? (
        <EmptyState icon="coverage" title="No requests yet" command="groups list">
          Each request counts for its operation, its status and its error codes. Below is what the contract documents.
        </EmptyState>
      ) : undefined}
      <FilterLine filters={{ missing }}>
        <SearchInput label="Operation" value={search} onChange={(value) => setSearch({ search: value })} />
        <Checkbox
          label="Only operations with missing statuses or codes"
          checked={missing !== undefined}
          onChange={({ currentTarget }) => setSearch({ missing: currentTarget.checked ? 'yes' : undefined })}
        />
      </FilterLine>
      {items?.length === 0 ? (
        <NoMatch
          icon="coverage"
          things="operations"
          filters={{ search, missing: missing === undefined ? undefined : 'with something missing' }}
        />
      ) : undefined}
      {items === undefined || items.length === 0 ? undefined : <CoverageTable items={items} />}
      <Equivalents command={`coverage${missing === undefined ? '' : ' --missing'}`} call={readCoverage} />
    </Stack>
  );
}

function Totals({ report: { operations, statuses, codes } }: { readonly report: CoverageData }) {
  const parts = { Operations: operations, 'Documented statuses': statuses, 'Error codes': codes };
  const figures = Object.entries(parts).map(([name, { exercised, total, percent }]) => ({
    name,
    value: exercised.toLocaleString('en'),
    detail: `of ${total.toLocaleString('en')}, ${percent} %`,
    share: exercised / total,
  }));
  return <Figures figures={figures} />;
}

function ClearCoverage({ isEmpty }: { readonly isEmpty: boolean }) {
  return (
    <WriteAction
      operation="DELETE /_iam/coverage"
      label="Reset the counters"
      disabledReason={isEmpty ? 'Nothing was counted yet.' : undefined}
      title="Reset the counters of coverage"
      confirmLabel="Reset the counters"
      done="Reset the counters of coverage."
      isDangerous
      command="coverage --reset"
      request={({ control }) => control.DELETE('/coverage')}
      changes={['coverage']}
    >
      <Text>All counts of this page begin at 0 again. The request log and the metrics stay.</Text>
    </WriteAction>
  );
}
