/** Assigns an API key to another application or client. */
import type { ControlData } from '../../api/clients.ts';
import { unchangedText } from '../../components/confirm-dialog.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import { useEditForm } from '../../components/forms/use-edit-form.ts';
import { WriteAction } from '../../components/write-action.tsx';
import { ApiKeyFields, formatAssignment } from './api-key-fields.tsx';

export function UpdateApiKey({ apiKey }: { readonly apiKey: ControlData<'/api-keys/{id}'> }) {
  const { apiKeyId, appId, clientId } = apiKey;
  const { form, isUntouched, restart } = useEditForm({ appId, clientId });
  return (
    <WriteAction
      operation="api-key.update"
      label="Edit"
      title={`Edit the API key of ${appId}`}
      confirmLabel="Save"
      form={form}
      notReadyText={isUntouched ? unchangedText : undefined}
      isReady={!isUntouched && form.values.appId !== '' && form.values.clientId !== ''}
      command={`api-key update ${formatAssignment(form.values)} ${quotePositional(apiKeyId)}`}
      request={({ service }) =>
        service.PUT('/api-key/{apiKeyId}', { params: { path: { apiKeyId } }, body: form.values })
      }
      changes={['api-keys']}
      done={{ text: 'Saved:', subject: { kind: 'apiKey', id: apiKeyId, name: form.values.appId } }}
      onDone={() => restart(form.values)}
      onCancel={() => restart()}
    >
      <ApiKeyFields form={form} />
    </WriteAction>
  );
}
