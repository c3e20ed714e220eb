/** Deletes a client, after a confirmation that names what ends with it. */
import { List, Text } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import { useLeave } from '../../api/use-leave.ts';
import { nameOfClient } from '../../components/client-owner.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import { SubjectList } from '../../components/subject.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { useClientKeys } from './client-keys.tsx';

interface DeleteClientProps {
  readonly client: ControlData<'/clients/{id}'>;
}

export function DeleteClient({ client }: DeleteClientProps) {
  const { clientId, serviceAccountId = clientId } = client;
  const leave = useLeave('/clients', ['clients', 'one', clientId]);
  return (
    <WriteAction
      operation="client-identities.remove"
      label="Delete"
      title={`Delete ${nameOfClient(client)}`}
      confirmLabel="Delete the client"
      isDangerous
      command={`clients delete --yes ${quotePositional(serviceAccountId)}`}
      request={({ service }) =>
        service.DELETE('/client-identities/{serviceAccountId}', { params: { path: { serviceAccountId } } })
      }
      changes={['clients', 'api-keys', 'groups']}
      done={`The client ${clientId} was deleted.`}
      onDone={leave}
    >
      <Affected client={client} />
    </WriteAction>
  );
}

function Affected({ client: { clientId, groups, groupCount } }: DeleteClientProps) {
  const { data } = useClientKeys(clientId);
  const keys = data?.keys.map(({ apiKeyId: id, appId: name }) => ({ id, name })) ?? [];
  return (
    <>
      <Text>
        The client is deleted, its tokens are rejected from the next request on, and its ids are never used again. With
        it:
      </Text>
      <List>
        <List.Item>
          Groups:{' '}
          <SubjectList
            kind="group"
            subjects={groups.map(({ groupId: id, groupName: name }) => ({ id, name }))}
            total={groupCount}
          />
        </List.Item>
        <List.Item>
          API keys: <SubjectList kind="apiKey" subjects={keys} />
          {data?.isComplete === false ? ' and possibly more' : ''}
        </List.Item>
      </List>
    </>
  );
}
