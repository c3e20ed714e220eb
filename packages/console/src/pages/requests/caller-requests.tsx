/** The last requests of one user or client: a tab of its page. */
import { useNavigate } from '@tanstack/react-router';
import { usePagedList } from '../../api/lists/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import type { ObjectTab } from '../../components/object-page.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { callerColumn, requestColumns } from './request-columns.tsx';

/** @param caller the id of a user or a client */
export function buildRequestsTab(caller: string): ObjectTab {
  return {
    name: 'requests',
    title: 'Requests',
    command: `requests list --caller ${quoteShellArgument(caller)}`,
    call: ({ control }) => control.GET('/requests', { params: { query: { caller } } }),
    render: () => <CallerRequests caller={caller} />,
  };
}

const columns = requestColumns.filter((column) => column !== callerColumn);

function CallerRequests({ caller }: { readonly caller: string }) {
  const navigate = useNavigate();
  const list = usePagedList({
    queryKey: ['requests', 'of', caller],
    read: ({ control }, query, signal) => control.GET('/requests', { params: { query: { ...query, caller } }, signal }),
  });
  return (
    <PagedRows
      list={list}
      empty={
        <EmptyState icon="requests" title="No requests yet">
          The log contains the last requests only; a restart deletes them. A rejected login is listed without its
          caller.
        </EmptyState>
      }
      label="Requests"
      columns={columns}
      keyOf={({ id }) => id}
      onOpen={({ id }) =>
        void navigate({ to: '/requests/$', params: { _splat: id } as never, search: { caller } as never })
      }
    />
  );
}
