/** What differs between two states: by default since the seed. */
import { Button, Group, List, Select, Text, Title } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { usePage } from '../../api/use-page.ts';
import { useRead } from '../../api/use-read.ts';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { PageSection } from '../../components/section.tsx';
import { useSnapshots } from './snapshot-list.tsx';

/** More rows of a table are only counted. */
const maxShown = 50;

export function StateDiff() {
  return (
    <PageSection title="Changes">
      <PermittedArea operation="GET /_iam/state/diff" content="changes of the state">
        <DiffContent />
      </PermittedArea>
    </PageSection>
  );
}

function DiffContent() {
  const { search, setSearch } = usePage();
  const from = search.from ?? 'seed';
  const snapshots = useSnapshots();
  const read: ApiRequest<ControlData<'/state/diff'>> = ({ control }, signal) =>
    control.GET('/state/diff', { params: { query: { from } }, signal });
  const diff = useRead(['diff', from], read);
  return (
    <>
      <Group align="flex-end">
        <Select
          label="Since"
          data={['seed', ...(snapshots.data?.map(({ name }) => name) ?? [])]}
          value={from}
          onChange={(value) => setSearch({ from: value === 'seed' ? undefined : (value ?? undefined) })}
          allowDeselect={false}
        />
        <Button variant="default" loading={diff.isFetching} onClick={() => void diff.refetch()}>
          Compare again
        </Button>
      </Group>
      {diff.error ? <ErrorPanel error={diff.error} onRetry={diff.refetch} /> : undefined}
      {diff.data?.tables.length === 0 ? <Text>Nothing has changed.</Text> : undefined}
      {diff.data?.tables.map(({ table, added, removed, changed }) => (
        <section key={table}>
          <Title order={3} size="h6">
            {table}
          </Title>
          <RowKeys title="added" keys={added} />
          <RowKeys title="removed" keys={removed} />
          <RowKeys title="changed" keys={changed.map(({ key, fields }) => `${key} (${fields.join(', ')})`)} />
        </section>
      ))}
      <Equivalents command={`state diff ${quotePositional(from)}`} call={read} />
    </>
  );
}

function RowKeys({ title, keys }: { readonly title: string; readonly keys: readonly string[] }) {
  if (keys.length === 0) return undefined;
  return (
    <>
      <Text size="sm">
        {keys.length} {title}
      </Text>
      <List size="sm">
        {keys.slice(0, maxShown).map((key) => (
          <List.Item key={key} style={{ overflowWrap: 'anywhere' }}>
            {key}
          </List.Item>
        ))}
      </List>
      {keys.length > maxShown ? <Text size="sm">and {keys.length - maxShown} more</Text> : undefined}
    </>
  );
}
