/** One API key, without the key itself: it can be assigned anew, rotated and deleted. */
import { Text } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useLeave } from '../../api/use-leave.ts';
import { useVersioned } from '../../api/use-versioned.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { formatTime, ServerTime } from '../../components/server-time.tsx';
import { Subject } from '../../components/subject.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { RotateApiKey } from './rotate-api-key.tsx';
import { UpdateApiKey } from './update-api-key.tsx';

type ShownApiKey = ControlData<'/api-keys/{id}'>;

export function ApiKeyDetail({ apiKeyId }: { readonly apiKeyId: string }) {
  const read: ApiRequest<ShownApiKey> = ({ control }, signal) =>
    control.GET('/api-keys/{id}', { params: { path: { id: apiKeyId } }, signal });
  const query = useVersioned(['api-keys', 'one', apiKeyId], read);
  return (
    <ObjectPage
      list={{ path: '/api-keys', title: 'All API keys' }}
      title="API key"
      nameOf={({ value: { apiKeyId: id, appId } }) => ({ id, name: `API key of ${appId}` })}
      query={query}
      command={`api-key get ${quotePositional(apiKeyId)}`}
      call={read}
      renderActions={(current) => (
        <>
          <UpdateApiKey current={current} />
          <RotateApiKey apiKey={current.value} />
          <DeleteApiKey apiKey={current.value} />
        </>
      )}
    >
      {({ value }) => <ApiKeyFacts apiKey={value} />}
    </ObjectPage>
  );
}

function ApiKeyFacts({ apiKey }: { readonly apiKey: ShownApiKey }) {
  const { appId, clientId, clientName, hint, createdAt, lastUsedAt, rotatedAt, previousHint, previousKeyEndsAt } =
    apiKey;
  return (
    <ObjectFacts
      label="API key"
      facts={{
        Application: appId,
        Client: <Subject kind="client" id={clientId} name={clientName} />,
        'Ends with': hint,
        Created: <ServerTime at={createdAt} />,
        Rotated: rotatedAt && <ServerTime at={rotatedAt} />,
        'Previous key until': previousKeyEndsAt && (
          <>
            <ServerTime at={previousKeyEndsAt} />, ends with {previousHint}
          </>
        ),
        'Last used': lastUsedAt === undefined ? 'Never' : <ServerTime at={lastUsedAt} />,
      }}
    />
  );
}

function DeleteApiKey({ apiKey }: { readonly apiKey: ShownApiKey }) {
  const { apiKeyId, appId, clientId, clientName, lastUsedAt } = apiKey;
  const leave = useLeave('/api-keys', ['api-keys', 'one', apiKeyId]);
  return (
    <WriteAction
      operation="api-key.remove"
      label="Delete"
      title={`Delete the API key of ${appId}`}
      confirmLabel="Delete the API key"
      isDangerous
      command={`api-key delete --yes ${quotePositional(apiKeyId)}`}
      request={({ service }) => service.DELETE('/api-key/{apiKeyId}', { params: { path: { apiKeyId } } })}
      changes={['api-keys']}
      done="The API key was deleted."
      onDone={leave}
    >
      <Text>
        Requests of <bdi>{appId}</bdi> with this key are rejected from the next one on. It has the rights of the client{' '}
        <Subject kind="client" id={clientId} name={clientName} isPlain />, which stays. Last used:{' '}
        {lastUsedAt === undefined ? 'never' : formatTime(lastUsedAt)}.
      </Text>
    </WriteAction>
  );
}
