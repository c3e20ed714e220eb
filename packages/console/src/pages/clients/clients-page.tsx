/** Clients: applications and services that log in with a secret. */
import { Badge } from '@mantine/core';
import { usePage } from '../../api/use-page.ts';
import { nameOfClient, OwnerOfClient } from '../../components/client-owner.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { RelativeTime } from '../../components/server-time.tsx';
import { Subject } from '../../components/subject.tsx';
import { bulkClients, type ListedClient } from './bulk-clients.tsx';
import { ClientDetail } from './client-detail.tsx';
import { CreateClient } from './create-client.tsx';

export default function ClientsPage() {
  const { rest } = usePage();
  return rest === undefined ? <ClientList /> : <ClientDetail key={rest} clientId={rest} />;
}

const columns: RowColumn<ListedClient>[] = [
  {
    title: 'Client',
    width: 'minmax(14rem, 2fr)',
    sort: 'clientId',
    render: (client) => <Subject kind="client" id={client.clientId} name={nameOfClient(client)} isPlain />,
  },
  {
    title: 'Application',
    width: 'minmax(8rem, 1fr)',
    sort: 'appId',
    phone: 'detail',
    render: ({ appId }) => <bdi>{appId}</bdi>,
  },
  {
    title: 'Owner',
    width: 'minmax(12rem, 1fr)',
    phone: 'detail',
    render: (client) => <OwnerOfClient client={client} />,
  },
  { title: 'Party', width: '7rem', phone: 'end', render: ({ party }) => <Badge color="gray">{party}</Badge> },
  {
    title: 'Created',
    isOptional: true,
    width: '8rem',
    sort: 'createdAt',
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

function ClientList() {
  return (
    <ObjectList
      title="Clients"
      actions={<CreateClient />}
      searchLabel="Client id, service account or application"
      searchOption="search"
      columns={columns}
      bulk={bulkClients}
      noun="clients"
      command="clients list"
      keyOf={({ clientId }) => clientId}
      read={({ control }, query, signal) => control.GET('/clients', { params: { query }, signal })}
      createCommand="clients create --app-id billing"
      emptyText="A client is an application or a service that obtains tokens with a secret of its own."
      searchText="The search looks in client ids, service accounts and applications."
    />
  );
}
