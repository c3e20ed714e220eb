/** Replaces the value of an API key. */
import type { ControlData } from '../../api/clients.ts';
import { RotateAction } from '../../components/secrets/rotate-action.tsx';

export function RotateApiKey({ apiKey }: { readonly apiKey: ControlData<'/api-keys/{id}'> }) {
  const { apiKeyId, appId, previousKeyEndsAt } = apiKey;
  return (
    <RotateAction
      operation="POST /_iam/api-keys/{id}/rotate"
      noun="key"
      name={appId}
      secretLabel="API key"
      previousEndsAt={previousKeyEndsAt}
      atOnceText="Requests with the previous key are rejected from the next one on. Tokens that were obtained with it stay valid until they expire."
      command="api-key rotate"
      id={apiKeyId}
      changes={['api-keys']}
      toRequest={(body) =>
        ({ control }) =>
          control.POST('/api-keys/{id}/rotate', { params: { path: { id: apiKeyId } }, body })
        }
      toResult={(rotated) => ({
        subject: { kind: 'apiKey', id: apiKeyId, name: appId },
        secret: { kind: 'apiKey', value: rotated.apiKey },
      })}
    />
  );
}
