/** Creates an API key and shows it once. */
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../../api/errors.ts';
import { SecretAction } from '../../components/secrets/secret-action.tsx';
import { ApiKeyFields, formatAssignment } from './api-key-fields.tsx';

const emptyFields = { appId: '', clientId: '' };

interface CreateApiKeyProps {
  /** On the page of a client, which stays open. */
  readonly client?: { readonly clientId: string; readonly appId: string };
}

export function CreateApiKey({ client }: CreateApiKeyProps) {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: client === undefined ? emptyFields : { appId: client.appId, clientId: client.clientId },
  });
  const { appId, clientId } = form.values;
  return (
    <SecretAction
      operation="api-key.create"
      label="Create an API key"
      isPrimary={client === undefined}
      title="Create an API key"
      confirmLabel="Create the API key"
      doneLabel="Created an API key of"
      secretLabel="API key"
      form={form}
      isReady={appId !== '' && clientId !== ''}
      command={`api-key create ${formatAssignment(form.values)}`}
      call={{
        method: 'POST',
        path: '/security/iam/v1/api-key',
        body: { appId: appId || 'APPLICATION', clientId: clientId || 'CLIENT_ID' },
      }}
      changes={['api-keys']}
      send={async ({ service }) => {
        const { apiKeyId, apiKey } = await unwrap(service.POST('/api-key', { body: form.values }));
        return { subject: { kind: 'apiKey', id: apiKeyId, name: appId }, secret: { kind: 'apiKey', value: apiKey } };
      }}
      onClose={(id) => {
        form.reset();
        if (client === undefined) void navigate({ to: '/api-keys/$', params: { _splat: id } as never });
      }}
    >
      <ApiKeyFields form={form} />
    </SecretAction>
  );
}
