/** Assigns an API key to another application or client. */
import type { ControlData } from '../../api/clients.ts';
import type { Versioned } from '../../api/use-versioned.ts';
import { EditAction } from '../../components/edit/edit-action.tsx';
import { useEditForm } from '../../components/edit/use-edit-form.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { ApiKeyFields, formatAssignment } from './api-key-fields.tsx';

type ShownApiKey = ControlData<'/api-keys/{id}'>;

export function UpdateApiKey({ current: { value: apiKey, etag } }: { readonly current: Versioned<ShownApiKey> }) {
  const { apiKeyId, appId, clientId } = apiKey;
  const edit = useEditForm({ value: { appId, clientId }, etag });
  const { form } = edit;
  const params = { path: { apiKeyId }, header: { 'If-Match': edit.etag } };
  return (
    <EditAction
      edit={edit}
      object={{ entity: 'apiKey', id: apiKeyId }}
      operation="api-key.update"
      title={`Edit the API key of ${appId}`}
      isReady={form.values.appId !== '' && form.values.clientId !== ''}
      command={`api-key update ${formatAssignment(form.values)} ${quotePositional(apiKeyId)}`}
      request={({ service }) => service.PUT('/api-key/{apiKeyId}', { params, body: form.values })}
      changes={['api-keys']}
      done={{ text: 'Saved:', subject: { kind: 'apiKey', id: apiKeyId, name: form.values.appId } }}
    >
      <ApiKeyFields form={form} />
    </EditAction>
  );
}
