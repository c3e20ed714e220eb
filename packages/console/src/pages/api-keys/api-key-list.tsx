/** All API keys, with a search in ids, applications, clients and the ends of keys. */
import type { components } from '#control-api';
import { useConsole } from '../../api/console-context.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { formatTime } from '../../components/server-time.tsx';
import { CreateApiKey } from './create-api-key.tsx';

export type ListedApiKey = components['schemas']['ApiKey'];

const columns: RowColumn<ListedApiKey>[] = [
  { title: 'Id', width: 'minmax(13rem, 2fr)', sort: 'apiKeyId', render: ({ apiKeyId }) => apiKeyId },
  { title: 'Application', width: 'minmax(8rem, 1fr)', sort: 'appId', render: ({ appId }) => <bdi>{appId}</bdi> },
  { title: 'Client', width: 'minmax(10rem, 1fr)', sort: 'clientId', render: ({ clientId }) => clientId },
  { title: 'Ends with', width: '6rem', render: ({ hint }) => hint },
  {
    title: 'Last used',
    width: '13rem',
    sort: 'lastUsedAt',
    render: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'Never' : formatTime(lastUsedAt)),
  },
];

export function ApiKeyList() {
  const { control } = useConsole();
  return (
    <ObjectList<ListedApiKey>
      title="API keys"
      actions={<CreateApiKey />}
      searchLabel="Id, application, client or end of the key"
      columns={columns}
      noun="api-keys"
      path="/_iam/api-keys"
      command="api-key search"
      keyOf={({ apiKeyId }) => apiKeyId}
      read={({ search, sort }, query, signal) =>
        control.GET('/api-keys', { params: { query: { ...query, search, sort: sort as 'appId' | undefined } }, signal })
      }
      renderEmpty={(search) => (
        <EmptyState
          title={search === undefined ? 'No API keys yet' : 'No API key matches'}
          command="iam api-key create --app-id billing --client-id CLIENT_ID"
        >
          {search === undefined
            ? 'An API key lets an application call the service with the rights of a client, without a token.'
            : 'The search looks in ids, applications, clients and the last characters of keys. Remove it to see all keys.'}
        </EmptyState>
      )}
    />
  );
}
