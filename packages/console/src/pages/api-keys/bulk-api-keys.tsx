/** What can be done with several API keys. */
import type { ControlData } from '../../api/clients.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import type { BulkActions } from '../../components/selection/bulk-action.ts';
import { Subject } from '../../components/subject.tsx';

export type ListedApiKey = ControlData<'/api-keys'>[number];

export const bulkApiKeys: BulkActions<ListedApiKey> = {
  noun: ['API key', 'API keys'],
  keyOf: ({ apiKeyId }) => apiKeyId,
  nameOf: ({ appId, hint }) => `${appId}, ends with ${hint}`,
  render: ({ apiKeyId, appId }) => <Subject kind="apiKey" id={apiKeyId} name={appId} isPlain />,
  changes: ['api-keys'],
  actions: [
    {
      label: 'Delete',
      operations: ['api-key.remove'],
      isDangerous: true,
      title: (keys) => `Delete ${keys}`,
      done: 'deleted',
      effect: 'Requests with these keys are rejected from the next one on. Their clients stay.',
      request:
        ({ apiKeyId }) =>
        ({ service }) =>
          service.DELETE('/api-key/{apiKeyId}', { params: { path: { apiKeyId } } }),
      commands: (keys) => [`api-key delete --yes ${quotePositional(...keys.map(({ apiKeyId }) => apiKeyId))}`],
    },
  ],
};
