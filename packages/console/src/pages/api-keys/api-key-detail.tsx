/** One API key, without the key itself: it can be assigned anew, replaced and deleted. */
import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { formatTime } from '../../components/server-time.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { ObjectLink } from '../groups/group-link.tsx';
import type { ListedApiKey } from './api-key-list.tsx';
import { UpdateApiKey } from './update-api-key.tsx';

export function ApiKeyDetail({ apiKeyId }: { readonly apiKeyId: string }) {
  const { control } = useConsole();
  const query = useQuery({
    queryKey: ['api-keys', 'one', apiKeyId],
    queryFn: ({ signal }) => unwrap(control.GET('/api-keys/{id}', { params: { path: { id: apiKeyId } }, signal })),
  });
  const { data } = query;
  return (
    <ObjectPage
      list={{ path: '/api-keys', title: 'All API keys' }}
      title={data === undefined ? 'API key' : `API key ${data.apiKeyId}`}
      actions={data === undefined ? undefined : <ApiKeyActions apiKey={data} />}
      query={query}
    >
      {data === undefined ? undefined : <ApiKeyFacts apiKey={data} />}
    </ObjectPage>
  );
}

function ApiKeyFacts({ apiKey }: { readonly apiKey: ListedApiKey }) {
  const { apiKeyId, appId, clientId, hint, createdAt, lastUsedAt } = apiKey;
  return (
    <>
      <ObjectFacts
        label="API key"
        facts={{
          Application: appId,
          Client: <ObjectLink page="/clients" id={clientId} />,
          'Ends with': hint,
          Created: formatTime(createdAt),
          'Last used': lastUsedAt === undefined ? 'Never' : formatTime(lastUsedAt),
        }}
      />
      <Equivalents
        command={`api-key get ${quotePositional(apiKeyId)}`}
        call={{ path: `/_iam/api-keys/${encodeURIComponent(apiKeyId)}` }}
      />
    </>
  );
}

function ApiKeyActions({ apiKey }: { readonly apiKey: ListedApiKey }) {
  return (
    <>
      <UpdateApiKey apiKey={apiKey} />
      <DeleteApiKey apiKey={apiKey} />
    </>
  );
}

function DeleteApiKey({ apiKey: { apiKeyId, appId, clientId, lastUsedAt } }: { readonly apiKey: ListedApiKey }) {
  const { service } = useConsole();
  const changed = useChanged('api-keys');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return (
    <WriteAction
      operation="api-key.remove"
      label="Delete"
      title={`Delete the API key ${apiKeyId}`}
      confirmLabel="Delete the API key"
      isDangerous
      command={`api-key delete --yes ${quotePositional(apiKeyId)}`}
      call={{ method: 'DELETE', path: `/security/iam/v1/api-key/${encodeURIComponent(apiKeyId)}` }}
      onChanged={changed}
      send={() => unwrap(service.DELETE('/api-key/{apiKeyId}', { params: { path: { apiKeyId } } }))}
      onDone={async () => {
        await navigate({ to: '/api-keys' });
        queryClient.removeQueries({ queryKey: ['api-keys', 'one', apiKeyId] });
      }}
    >
      <Text>
        Requests of <bdi>{appId}</bdi> with this key are rejected from the next one on. It has the rights of the client{' '}
        {clientId}, which stays. Last used: {lastUsedAt === undefined ? 'never' : formatTime(lastUsedAt)}.
      </Text>
    </WriteAction>
  );
}
