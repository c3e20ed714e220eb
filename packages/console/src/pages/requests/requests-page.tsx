/** The request log: what was called, by whom, and why it was rejected. */
import { Stack, Switch } from '@mantine/core';
import type { paths as ControlPaths } from '#control-api';
import { useLiveList } from '../../api/lists/use-live-list.ts';
import { usePage } from '../../api/use-page.ts';
import { useRowPanel } from '../../api/use-row-panel.ts';
import { EmptyState, NoMatch } from '../../components/empty-state.tsx';
import { Equivalents, formatOptions } from '../../components/equivalents.tsx';
import { LiveControls } from '../../components/live/live-controls.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { ListWithPanel } from '../../components/panel/list-with-panel.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { type LoggedRequest, requestColumns } from './request-columns.tsx';
import { RequestDetailView } from './request-detail.tsx';
import { RequestFilterFields } from './request-filters.tsx';

const consoleInterval = 2000;

/** The filter of the switch. */
const errorStatuses = '4xx,5xx';

type RequestQuery = NonNullable<ControlPaths['/requests']['get']['parameters']['query']>;

const keyOf = ({ id }: LoggedRequest) => id;

export default function RequestsPage() {
  const { rest, search, setSearch } = usePage();
  const { operation, caller, status, error } = search;
  const withConsole = search.console === 'true';
  // The server refuses what is no operation or code.
  const filters = { operation, caller, status, error } as Pick<
    RequestQuery,
    'operation' | 'caller' | 'status' | 'error'
  >;
  const ownRequests = withConsole ? { console: true } : {};
  const list = useLiveList({
    keyOf,
    isRowOpen: rest !== undefined,
    queryKey: ['requests', operation, caller, status, error, withConsole],
    read: ({ control }, query, signal) =>
      control.GET('/requests', { params: { query: { ...query, ...filters, ...ownRequests } }, signal }),
    // Reads of the console are no events.
    refetchInterval: withConsole ? consoleInterval : undefined,
  });
  const panel = useRowPanel({ path: '/requests', rows: list.items, keyOf });
  return (
    <Stack gap="md">
      <PageTitle>Requests</PageTitle>
      <RequestFilterFields values={filters} onChange={(changes) => setSearch({ ...changes })}>
        <Switch
          label="Errors only"
          checked={status === errorStatuses}
          onChange={({ currentTarget }) => setSearch({ status: currentTarget.checked ? errorStatuses : undefined })}
        />
        <Switch
          label="Show the console's own"
          checked={withConsole}
          onChange={({ currentTarget }) => setSearch({ console: currentTarget.checked ? 'true' : undefined })}
        />
        <LiveControls live={list.live} />
      </RequestFilterFields>
      <ListWithPanel
        title="Request"
        panel={panel}
        detail={rest === undefined ? undefined : <RequestDetailView id={rest} />}
      >
        <PagedRows
          list={list}
          empty={<NoRequests filters={filters} />}
          label="Requests"
          columns={requestColumns}
          keyOf={keyOf}
          panel={panel}
        />
      </ListWithPanel>
      {panel.openKey === undefined ? (
        <Equivalents
          command={`requests list${formatOptions(filters)}${withConsole ? ' --console' : ''}`}
          call={({ control }) => control.GET('/requests', { params: { query: { ...filters, ...ownRequests } } })}
        />
      ) : undefined}
    </Stack>
  );
}

function NoRequests({ filters }: { readonly filters: Readonly<Record<string, string | undefined>> }) {
  if (Object.values(filters).some((value) => value !== undefined))
    return (
      <NoMatch icon="requests" things="requests" filters={filters}>
        The log contains the last requests only; a restart deletes them.
      </NoMatch>
    );
  return (
    <EmptyState icon="requests" title="No requests yet" command="groups list">
      A request to the service appears here as soon as the response is sent. Those to the control plane are not listed.
    </EmptyState>
  );
}
