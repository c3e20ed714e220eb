/** The request log: what was called, by whom, and why it was rejected. */
import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { usePage } from '../../api/use-page.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quoteShellArgument } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { RequestFilterFields, type RequestFilterValues } from './request-filters.tsx';
import { type LoggedRequest, RequestList } from './request-list.tsx';

export default function RequestsPage() {
  const { control } = useConsole();
  const navigate = useNavigate();
  const { rest, search, setSearch } = usePage();
  const { operation, caller, status, error } = search;
  const filters = { operation, caller, status, error };
  const list = usePagedList<LoggedRequest>({
    queryKey: ['requests', operation, caller, status, error],
    read: (query, signal) => control.GET('/requests', { params: { query: { ...query, ...filters } }, signal }),
  });
  const open = (id: string) =>
    void navigate({ to: '/requests/$', params: { _splat: id } as never, search: search as never });
  return (
    <Stack gap="md">
      <PageTitle>Requests</PageTitle>
      <RequestFilterFields values={filters} onChange={(changes) => setSearch({ ...changes })} />
      {list.error ? <ErrorPanel error={list.error} onRetry={list.refetch} /> : undefined}
      {list.isReady && !list.error && list.items.length === 0 ? <NoRequests filters={filters} /> : undefined}
      {list.items.length > 0 ? <RequestList list={list} openId={rest} onOpen={open} /> : undefined}
      <Equivalents
        command={`requests list${formatOptions(filters)}`}
        call={{ path: `/_iam/requests${formatFilters(filters)}` }}
      />
      <RequestDrawer id={rest} onClose={() => void navigate({ to: '/requests', search: search as never })} />
    </Stack>
  );
}

function NoRequests({ filters }: { readonly filters: RequestFilterValues }) {
  const isFiltered = entriesOf(filters).length > 0;
  return (
    <EmptyState title={isFiltered ? 'No request matches' : 'No requests yet'} command="iam groups list">
      {isFiltered
        ? 'Remove a filter. The log contains the last requests only; a restart deletes them.'
        : 'A request to the service appears here as soon as the response is sent. Requests to the control plane are not listed.'}
    </EmptyState>
  );
}

function entriesOf(filters: RequestFilterValues): [string, string][] {
  return Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

function formatOptions(filters: RequestFilterValues): string {
  return entriesOf(filters)
    .map(([name, value]) => ` --${name} ${quoteShellArgument(value)}`)
    .join('');
}

function formatFilters(filters: RequestFilterValues): string {
  const entries = entriesOf(filters);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}
