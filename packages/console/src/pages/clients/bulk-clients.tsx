/** What can be done with several clients. */
import type { ControlData } from '../../api/clients.ts';
import { nameOfClient } from '../../components/client-owner.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import type { BulkActions } from '../../components/selection/bulk-action.ts';
import { Subject } from '../../components/subject.tsx';

export type ListedClient = ControlData<'/clients'>[number];

const accountOf = ({ clientId, serviceAccountId = clientId }: ListedClient) => serviceAccountId;

export const bulkClients: BulkActions<ListedClient> = {
  noun: ['client', 'clients'],
  keyOf: ({ clientId }) => clientId,
  nameOf: nameOfClient,
  render: (client) => <Subject kind="client" id={client.clientId} name={nameOfClient(client)} isPlain />,
  // Without a login, the console uses a client that has this authority.
  isOwn: ({ clientId, authorities }, subject) =>
    subject === undefined ? authorities.includes('IAM_ADMIN_MAINTENANCE') : clientId === subject,
  changes: ['clients', 'api-keys', 'groups'],
  actions: [
    {
      label: 'Delete',
      operations: ['client-identities.remove'],
      isDangerous: true,
      isLockout: true,
      title: (clients) => `Delete ${clients}`,
      done: 'deleted',
      effect:
        'Their tokens are rejected from the next request on. Their API keys and memberships are deleted, and their ids are never used again.',
      request: (client) => {
        const params = { path: { serviceAccountId: accountOf(client) } };
        return ({ service }) => service.DELETE('/client-identities/{serviceAccountId}', { params });
      },
      commands: (clients) => [`clients delete --yes ${quotePositional(...clients.map(accountOf))}`],
    },
  ],
};
