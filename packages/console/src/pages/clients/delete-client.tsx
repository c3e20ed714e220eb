/** Deletes a client, after a confirmation that names what ends with it. */
import { List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { formatNames } from '../../components/format-names.ts';
import { WriteAction } from '../../components/write-action.tsx';
import { useClientKeys } from './client-keys.tsx';
import type { ShownClient } from './shown-client.ts';

export function DeleteClient({ client }: { readonly client: ShownClient }) {
  const { service } = useConsole();
  const changed = useChanged('clients', 'api-keys', 'groups');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { clientId } = client;
  const id = client.serviceAccountId ?? clientId;
  return (
    <WriteAction
      operation="client-identities.remove"
      label="Delete"
      title={`Delete ${clientId}`}
      confirmLabel="Delete the client"
      isDangerous
      command={`clients delete --yes ${quotePositional(id)}`}
      call={{ method: 'DELETE', path: `/security/iam/v1/client-identities/${encodeURIComponent(id)}` }}
      onChanged={changed}
      send={() =>
        unwrap(service.DELETE('/client-identities/{serviceAccountId}', { params: { path: { serviceAccountId: id } } }))
      }
      onDone={async () => {
        await navigate({ to: '/clients' });
        queryClient.removeQueries({ queryKey: ['clients', 'one', clientId] });
      }}
    >
      <Affected client={client} />
    </WriteAction>
  );
}

function Affected({ client: { clientId, groups, groupCount } }: { readonly client: ShownClient }) {
  const { data } = useClientKeys(clientId);
  const names = groups.map(({ groupName }) => groupName);
  const keys = data?.keys.map(({ apiKeyId }) => apiKeyId) ?? [];
  return (
    <>
      <Text>
        The client is deleted, its tokens are rejected from the next request on, and its ids are never used again. With
        it:
      </Text>
      <List>
        <List.Item>
          Groups: <bdi>{formatNames(names, groupCount)}</bdi>
        </List.Item>
        <List.Item>
          API keys: {formatNames(keys, keys.length)}
          {data?.isComplete === false ? ' and possibly more' : ''}
        </List.Item>
      </List>
    </>
  );
}
