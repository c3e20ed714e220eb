/** API keys, each with the rights of a client: all of them, with a search, or one. */

import { usePage } from '../../api/use-page.ts';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { RelativeTime } from '../../components/server-time.tsx';
import { Subject } from '../../components/subject.tsx';
import { ApiKeyDetail } from './api-key-detail.tsx';
import { bulkApiKeys, type ListedApiKey } from './bulk-api-keys.tsx';
import { CreateApiKey } from './create-api-key.tsx';

export default function ApiKeysPage() {
  const { rest } = usePage();
  return rest === undefined ? <ApiKeyList /> : <ApiKeyDetail key={rest} apiKeyId={rest} />;
}

const columns: RowColumn<ListedApiKey>[] = [
  {
    title: 'API key of',
    width: 'minmax(13rem, 2fr)',
    sort: 'appId',
    render: ({ apiKeyId, appId }) => <Subject kind="apiKey" id={apiKeyId} name={appId} isPlain />,
  },
  {
    title: 'Client',
    width: 'minmax(12rem, 2fr)',
    sort: 'clientId',
    phone: 'detail',
    render: ({ clientId, clientName }) => <Subject kind="client" id={clientId} name={clientName} />,
  },
  { title: 'Ends with', width: '6rem', phone: 'end', render: ({ hint }) => hint },
  {
    title: 'Last used',
    width: '8rem',
    sort: 'lastUsedAt',
    render: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'Never' : <RelativeTime at={lastUsedAt} />),
  },
];

function ApiKeyList() {
  return (
    <ObjectList
      title="API keys"
      actions={<CreateApiKey />}
      searchLabel="Id, application, client or end of the key"
      columns={columns}
      bulk={bulkApiKeys}
      noun="api-keys"
      command="api-key search"
      keyOf={({ apiKeyId }) => apiKeyId}
      read={({ control }, query, signal) => control.GET('/api-keys', { params: { query }, signal })}
      createCommand="api-key create --app-id billing --client-id CLIENT_ID"
      emptyText="An API key lets an application call the service with the rights of a client, without a token."
      searchText="The search looks in ids, applications, clients and the last characters of keys."
    />
  );
}
