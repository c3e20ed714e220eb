/** The audit log: who changed what, from where, by which request, with the values before and after. */
import { Select, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { paths as ControlPaths } from '#control-api';
import { useLiveList } from '../../api/use-live-list.ts';
import { usePage } from '../../api/use-page.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, formatOptions } from '../../components/equivalents.tsx';
import { LiveControls } from '../../components/live/live-controls.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { FilterLine, SearchInput } from '../../components/search-input.tsx';
import { auditColumns } from './audit-columns.tsx';
import { AuditDrawer } from './audit-drawer.tsx';
import type { ShownEvent } from './audit-objects.tsx';

type AuditQuery = NonNullable<ControlPaths['/audit']['get']['parameters']['query']>;

const eventKinds = [
  { value: 'administration', label: 'Changes' },
  { value: 'authentication', label: 'Logins' },
  { value: 'all', label: 'All' },
];
const results = ['granted', 'refused', 'failed'];

const keyOf = ({ sequence }: ShownEvent) => String(sequence);

export default function AuditPage() {
  const navigate = useNavigate();
  const { rest, search, setSearch } = usePage();
  const { caller, entity, object, operation, result, event = 'administration' } = search;
  const filters = {
    ...{ caller, entity, object, operation, result },
    event: event === 'all' ? undefined : event,
  } as Pick<AuditQuery, 'caller' | 'entity' | 'object' | 'operation' | 'result' | 'event'>;
  const list = useLiveList({
    keyOf,
    isRowOpen: rest !== undefined,
    queryKey: ['audit', filters],
    read: ({ control }, query, signal) =>
      control.GET('/audit', { params: { query: { ...query, ...filters } }, signal }),
  });
  const keep = search as never;
  const { entity: kind, object: id, ...others } = filters;
  const isOption = kind !== undefined && ['user', 'group', 'client', 'business'].includes(kind);
  const options = { ...others, ...(id === undefined ? {} : { [isOption ? kind : 'object']: id }) };
  const server = list.items[0]?.server;
  return (
    <Stack gap="md">
      <PageTitle>Audit</PageTitle>
      <FilterLine>
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
          onChange={(value) => setSearch({ event: value === 'administration' ? undefined : (value ?? undefined) })}
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
        <LiveControls live={list.live} />
      </FilterLine>
      {server === undefined ? undefined : (
        <Text size="sm">Only the events of the requests to the server {server}: the others have their own.</Text>
      )}
      <PagedRows
        list={list}
        empty={<NoEvents />}
        label="Audit events"
        columns={auditColumns}
        keyOf={keyOf}
        onOpen={({ sequence }) =>
          void navigate({ to: '/audit/$', params: { _splat: String(sequence) } as never, search: keep })
        }
        openKey={rest}
      />
      <Equivalents
        command={`audit${formatOptions(options)}`}
        call={({ control }) => control.GET('/audit', { params: { query: filters } })}
      />
      <AuditDrawer
        isOpen={rest !== undefined && list.isReady}
        event={list.items.find(({ sequence }) => String(sequence) === rest)}
        onClose={() => void navigate({ to: '/audit', search: keep })}
      />
    </Stack>
  );
}

function NoEvents() {
  return (
    <EmptyState title="No event matches" command="iam groups create --group-name ops">
      Changes, logins and rejections appear here as soon as they happen. The list has the last 5,000; a restart deletes
      them, a reset does not.
    </EmptyState>
  );
}
