/** The API keys of a client, the first of them. */
import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ControlData } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrapResponse } from '../../api/errors.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageSection } from '../../components/section.tsx';
import { Subject } from '../../components/subject.tsx';
import { CreateApiKey } from '../api-keys/create-api-key.tsx';

const limit = 50;

/** Whose keys; also read for the confirmation of a delete. */
export function useClientKeys(clientId: string) {
  const { control } = useConsole();
  return useQuery({
    queryKey: ['api-keys', 'of', clientId],
    queryFn: async ({ signal }) => {
      // The search also finds parts of ids.
      const query = { search: clientId, limit };
      const { data, response } = await unwrapResponse(control.GET('/api-keys', { params: { query }, signal }));
      return { keys: data.filter((key) => key.clientId === clientId), isComplete: response.status === 200 };
    },
  });
}

export function ClientKeys({ client }: { readonly client: Pick<ControlData<'/clients/{id}'>, 'clientId' | 'appId'> }) {
  const { clientId } = client;
  const { data, error } = useClientKeys(clientId);
  if (error) return <ErrorPanel error={error} />;
  if (data === undefined) return undefined;
  const { keys, isComplete } = data;
  return (
    <PageSection
      title="API keys"
      actions={<CreateApiKey client={client} />}
      emptyText={keys.length === 0 && isComplete ? 'None.' : undefined}
    >
      <List listStyleType="none">
        {keys.map(({ apiKeyId, appId, hint }) => (
          <List.Item key={apiKeyId}>
            <Subject kind="apiKey" id={apiKeyId} name={appId} /> ends with {hint}
          </List.Item>
        ))}
      </List>
      {isComplete ? undefined : (
        <Text size="sm">
          <Anchor component={Link} to="/api-keys" search={{ search: clientId } as never} underline="always">
            Search all API keys
          </Anchor>
        </Text>
      )}
    </PageSection>
  );
}
