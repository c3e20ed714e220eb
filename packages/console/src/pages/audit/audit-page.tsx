/** The audit log: who changed what, from where, by which request, with the values before and after. */
import { Select, Stack, Text } from '@mantine/core';
import type { paths as ControlPaths } from '#control-api';
import { auditExtentHeader, auditServerHeader, describeAuditExtent } from '../../../../../src/contract/audit.ts';
import { useLiveList } from '../../api/lists/use-live-list.ts';
import { usePage } from '../../api/use-page.ts';
import { useRowPanel } from '../../api/use-row-panel.ts';
import type { ShownEvent } from '../../components/changes/audit-actor.tsx';
import { EmptyState, NoMatch } from '../../components/empty-state.tsx';
import { Equivalents, formatOptions } from '../../components/equivalents.tsx';
import { TimeRange } from '../../components/lists/time-range.tsx';
import { LiveControls } from '../../components/live/live-controls.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { ListWithPanel } from '../../components/panel/list-with-panel.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { FilterLine, SearchInput } from '../../components/search-input.tsx';
import { auditColumns } from './audit-columns.tsx';
import { AuditDetail } from './audit-detail.tsx';

type AuditQuery = NonNullable<ControlPaths['/audit']['get']['parameters']['query']>;

const eventKinds = [
  { value: 'changes', label: 'Changes' },
  { value: 'administration', label: 'Administration' },
  { value: 'authentication', label: 'Logins' },
  { value: 'all', label: 'All' },
];
const results = ['granted', 'refused', 'failed'];

const keyOf = ({ sequence }: ShownEvent) => String(sequence);

export default function AuditPage() {
  const { rest, search, setSearch } = usePage();
  const { caller, entity, object, operation, result, since, until, event = 'changes' } = search;
  const filters = {
    ...{ caller, entity, object, operation, result, since, until },
    ...kindFilters(event, result),
  } as Omit<AuditQuery, 'limit' | 'after'>;
  const list = useLiveList({
    keyOf,
    isRowOpen: rest !== undefined,
    queryKey: ['audit', filters],
    read: ({ control }, query, signal) =>
      control.GET('/audit', { params: { query: { ...query, ...filters } }, signal }),
  });
  const panel = useRowPanel({ path: '/audit', rows: list.items, keyOf });
  const { entity: kind, object: id, ...others } = filters;
  const isOption = kind !== undefined && ['user', 'group', 'client', 'business'].includes(kind);
  const options = { ...others, changed: undefined, ...(id === undefined ? {} : { [isOption ? kind : 'object']: id }) };
  const hidden = { object, operation, result, time: since ?? until, event: search.event };
  const server = list.headers?.get(auditServerHeader) ?? undefined;
  return (
    <Stack gap="md" className="list-page">
      <PageTitle>Audit</PageTitle>
      <FilterLine filters={hidden}>
        <SearchInput label="Caller" value={caller} onChange={(text) => setSearch({ caller: text })} />
        <SearchInput
          label="Object"
          value={object}
          onChange={(text) => setSearch({ object: text, entity: undefined })}
        />
        <SearchInput label="Operation" value={operation} onChange={(text) => setSearch({ operation: text })} />
        <Select
          aria-label="Events"
          data={eventKinds}
          value={event}
          allowDeselect={false}
          onChange={(value) => setSearch({ event: value === 'changes' ? undefined : (value ?? undefined) })}
        />
        <Select
          aria-label="Result"
          data={results}
          value={result ?? null}
          placeholder="Result"
          clearable
          clearButtonProps={{ 'aria-label': 'Result: all' }}
          onChange={(value) => setSearch({ result: value ?? undefined })}
        />
        <TimeRange since={since} until={until} onChange={(span) => setSearch({ ...span })} />
        <LiveControls list={list} filters={{ caller, ...hidden }} />
      </FilterLine>
      {server === undefined ? undefined : (
        <Text size="sm">Only the events of the requests to the server {server}: the others have their own.</Text>
      )}
      <ListWithPanel
        title="Audit event"
        panel={panel}
        detail={
          list.isReady ? <AuditDetail event={list.items.find((shown) => keyOf(shown) === panel.openKey)} /> : undefined
        }
      >
        <PagedRows
          list={list}
          empty={
            <NoEvents filters={{ caller, entity, object, operation, result, since, until, event: search.event }} />
          }
          label="Audit events"
          columns={auditColumns}
          keyOf={keyOf}
          panel={panel}
          isCounted={false}
        />
        {list.isReady && list.loadMore === undefined ? (
          <ListExtent extent={list.headers?.get(auditExtentHeader)} />
        ) : undefined}
      </ListWithPanel>
      <Equivalents
        command={`audit${filters.changed ? ' --changed' : ''}${formatOptions(options)}`}
        call={({ control }) => control.GET('/audit', { params: { query: filters } })}
      />
    </Stack>
  );
}

/** A change that was refused has changed nothing: with that result, those that were attempted. */
function kindFilters(event: string, result: string | undefined): Pick<AuditQuery, 'event' | 'changed'> {
  if (event === 'changes' && (result ?? 'granted') === 'granted') return { changed: true };
  if (event === 'all') return {};
  return { event: event === 'authentication' ? event : 'administration' };
}

/** Why the list has no older events, if there were any. */
function ListExtent({ extent }: { readonly extent: string | null | undefined }) {
  const text = describeAuditExtent(extent);
  return text === undefined ? undefined : (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

function NoEvents({ filters }: { readonly filters: Readonly<Record<string, string | undefined>> }) {
  if (Object.values(filters).some((value) => value !== undefined))
    return <NoMatch icon="audit" things="events" filters={filters} />;
  return (
    <EmptyState icon="audit" title="No changes yet" command="groups create --group-name ops --role DEPLOY">
      A change appears here as soon as it happens, with the values before and after. A reset does not delete it.
    </EmptyState>
  );
}
