/** What differs between two states, by object: by default since the seed. */

import { Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { usePage } from '../../api/use-page.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { PageSection } from '../../components/section.tsx';
import { formatCount } from '../../components/texts/format-count.ts';
import { type DiffSummary, entityTitles, ObjectDiffList } from './object-diff-list.tsx';
import { useSnapshots } from './snapshot-list.tsx';
import { type ComparedEntity, useObjectDiff } from './use-object-diff.ts';

export function StateDiff() {
  return (
    <PageSection title="Changes">
      <PermittedArea operation="GET /_iam/state/diff/objects" content="changes of the state">
        <DiffContent />
      </PermittedArea>
    </PageSection>
  );
}

function DiffContent() {
  const { search, setSearch } = usePage();
  const { from = 'seed', to = 'now' } = search;
  const entity = search.kind as ComparedEntity | undefined;
  const diff = useObjectDiff({ from, to, entity });
  const { summary } = diff;
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="xs">
        <StateSelect label="From" value={from} onChange={(value) => setSearch({ from: value, kind: undefined })} />
        <StateSelect label="To" value={to} onChange={(value) => setSearch({ to: value, kind: undefined })} />
        <Button variant="default" onClick={() => setSearch({ from: to, to: from, kind: undefined })}>
          Swap
        </Button>
        <Button variant="default" loading={diff.isFetching} onClick={() => void diff.refetch()}>
          Compare again
        </Button>
      </Group>
      {diff.error ? <ErrorPanel error={diff.error} onRetry={() => void diff.refetch()} /> : undefined}
      {diff.isLoading ? <Skeleton h={90} aria-label="Loading" /> : undefined}
      {summary === undefined ? undefined : (
        <>
          <KindFilter summary={summary} value={entity} onChange={(kind) => setSearch({ kind })} />
          <ObjectDiffList pages={diff.pages} />
          {diff.hasNextPage ? (
            <Button
              variant="default"
              loading={diff.isFetchingNextPage}
              onClick={() => void diff.fetchNextPage()}
              style={{ alignSelf: 'flex-start' }}
            >
              Show more: {diff.count.toLocaleString('en')} of {countObjects(summary, entity).toLocaleString('en')}
            </Button>
          ) : undefined}
          <InternalRows summary={summary} />
        </>
      )}
    </Stack>
  );
}

function StateSelect(props: { readonly label: string; readonly value: string; onChange(value: string): void }) {
  const snapshots = useSnapshots();
  const names = ['seed', 'now', ...(snapshots.data?.map(({ name }) => name) ?? [])];
  const { value, onChange, label } = props;
  return (
    <Select
      label={label}
      flex="1 1 9rem"
      maw={180}
      data={names.includes(value) ? names : [...names, value]}
      value={value}
      onChange={(chosen) => onChange(chosen ?? value)}
      allowDeselect={false}
      // Others save snapshots, too.
      onDropdownOpen={() => void snapshots.refetch()}
      searchable
    />
  );
}

function countObjects({ counts }: DiffSummary, entity?: string): number {
  const counted = counts.filter((count) => entity === undefined || count.entity === entity);
  return counted.reduce((sum, { created, changed, deleted }) => sum + created + changed + deleted, 0);
}

interface KindFilterProps {
  readonly summary: DiffSummary;
  readonly value: ComparedEntity | undefined;
  onChange(value: ComparedEntity | undefined): void;
}

function KindFilter({ summary, value, onChange }: KindFilterProps) {
  if (summary.counts.length === 0) return <Text role="status">No object differs.</Text>;
  const kinds = [undefined, ...summary.counts.map(({ entity }) => entity)];
  return (
    <Group className="object-diff-kinds" role="group" aria-label="Kinds of objects">
      {kinds.map((entity) => (
        <Button
          key={entity ?? 'all'}
          size="compact-sm"
          flex="none"
          variant={entity === value ? 'light' : 'subtle'}
          aria-pressed={entity === value}
          onClick={() => onChange(entity)}
        >
          {entity === undefined ? 'All' : entityTitles[entity]} {countObjects(summary, entity).toLocaleString('en')}
        </Button>
      ))}
    </Group>
  );
}

/** What is not listed, in one line that opens. */
function InternalRows({ summary: { internals } }: { readonly summary: DiffSummary }) {
  const sumOf = ({ created, changed, deleted }: DiffSummary['internals'][number]) => created + changed + deleted;
  const total = internals.reduce((sum, row) => sum + sumOf(row), 0);
  if (total === 0) return undefined;
  return (
    <details className="field-lines-folded">
      <summary>{formatCount(total, 'row differs', 'rows differ')} that only the service needs</summary>
      <Text size="xs" c="dimmed">
        {internals.map((row) => `${row.table} ${sumOf(row)}`).join(', ')}
      </Text>
    </details>
  );
}
