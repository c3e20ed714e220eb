/** Assigns an API key to another application or client, and replaces the key itself if that is chosen. */
import { Checkbox } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ControlData } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { SecretAction } from '../../components/secrets/secret-action.tsx';
import { ApiKeyFields, formatAssignment } from './api-key-fields.tsx';

const keyBytes = 32;

export function UpdateApiKey({
  apiKey: { apiKeyId, appId, clientId },
}: {
  readonly apiKey: ControlData<'/api-keys/{id}'>;
}) {
  const { service } = useConsole();
  const form = useForm({ initialValues: { appId, clientId } });
  const [isReplaced, setReplaced] = useState(false);
  const id = quotePositional(apiKeyId);
  const assignment = formatAssignment(form.values);
  return (
    <SecretAction
      operation="api-key.update"
      label="Edit"
      title={`Edit the API key of ${appId}`}
      confirmLabel="Save"
      secretLabel="New API key"
      form={form}
      isReady={form.values.appId !== '' && form.values.clientId !== ''}
      command={`api-key update ${id} ${assignment}${isReplaced ? ' --api-key-file -' : ''}`}
      call={{
        method: 'PUT',
        path: `/security/iam/v1/api-key/${encodeURIComponent(apiKeyId)}`,
        body: { ...form.values, ...(isReplaced ? { apiKey: 'BASE64_OF_32_RANDOM_BYTES' } : {}) },
      }}
      changes={['api-keys']}
      send={async () => {
        const apiKey = isReplaced ? generateKey() : undefined;
        const body = { ...form.values, ...(apiKey === undefined ? {} : { apiKey }) };
        await unwrap(service.PUT('/api-key/{apiKeyId}', { params: { path: { apiKeyId } }, body }));
        return {
          subject: { kind: 'apiKey', id: apiKeyId },
          secret: apiKey === undefined ? undefined : { kind: 'apiKey', value: apiKey },
        };
      }}
      onClose={() => setReplaced(false)}
    >
      <ApiKeyFields form={form} />
      <Checkbox
        label="Replace the key itself with a new one"
        description="Requests with the old one are rejected from the next one on."
        checked={isReplaced}
        onChange={({ currentTarget }) => setReplaced(currentTarget.checked)}
      />
    </SecretAction>
  );
}

/** The interface accepts a key of the caller: base64 of random bytes. */
function generateKey(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(keyBytes))));
}
