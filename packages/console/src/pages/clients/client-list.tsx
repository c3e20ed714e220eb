/** All clients, with a search in client ids, service accounts and applications. */
import { Badge } from '@mantine/core';
import type { paths } from '#control-api';
import { useConsole } from '../../api/console-context.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { formatTime } from '../../components/server-time.tsx';
import { CreateClient } from './create-client.tsx';

type ListedClient = paths['/clients']['get']['responses'][200]['content']['application/json'][number];

const columns: RowColumn<ListedClient>[] = [
  { title: 'Client id', width: 'minmax(12rem, 2fr)', sort: 'clientId', render: ({ clientId }) => clientId },
  { title: 'Application', width: 'minmax(8rem, 1fr)', sort: 'appId', render: ({ appId }) => <bdi>{appId}</bdi> },
  {
    title: 'Service account',
    width: 'minmax(10rem, 1fr)',
    sort: 'serviceAccountId',
    render: ({ serviceAccountId }) => serviceAccountId,
  },
  { title: 'Party', width: '7rem', render: ({ party }) => <Badge color="gray">{party}</Badge> },
  { title: 'Created', width: '13rem', sort: 'createdAt', render: ({ createdAt }) => formatTime(createdAt) },
];

export function ClientList() {
  const { control } = useConsole();
  return (
    <ObjectList<ListedClient>
      title="Clients"
      actions={<CreateClient />}
      searchLabel="Client id, service account or application"
      columns={columns}
      noun="clients"
      path="/_iam/clients"
      keyOf={({ clientId }) => clientId}
      read={({ search, sort }, query, signal) =>
        control.GET('/clients', {
          params: { query: { ...query, search, sort: sort as 'clientId' | undefined } },
          signal,
        })
      }
      renderEmpty={(search) => (
        <EmptyState
          title={search === undefined ? 'No clients yet' : 'No client matches'}
          command="iam clients create --app-id billing"
        >
          {search === undefined
            ? 'A client is an application or a service that obtains tokens with a secret of its own.'
            : 'The search looks in client ids, service accounts and applications. Remove it to see all clients.'}
        </EmptyState>
      )}
    />
  );
}
