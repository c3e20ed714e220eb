import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { toUpdatableApiKey } from '../../../directory/api-keys.ts';
import { defineRoute } from '../../define.ts';
import { addNames } from '../../name-fields.ts';
import { ApiKeyItem, toApiKeyItem } from './api-key-item.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.api-key',
  title: 'Show an API key',
  description:
    'Returns the API key with this id, without the key itself. The ETag is of the fields that an update of the key writes.',
  method: 'GET',
  path: '/api-keys/{id}',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: { params: { id: Id.meta({ examples: ['64b0c0ffee00000000000004'], ...reference('apiKey', ['id']) }) } },
  response: { status: 200, body: ApiKeyItem, entity: 'stored' },
  errors: ['API_KEY_NOT_FOUND'],

  async handle({ params }, { store, clock, authentication, setStoredEtag }) {
    const row = await store.apiKeys.get(params.id);
    if (!row) throw apiError('API_KEY_NOT_FOUND');
    setStoredEtag(toUpdatableApiKey(row));
    const view = toApiKeyItem(row, authentication.apiKeyUses, clock.now());
    const [item = view] = await addNames(store, [view], 'clientId');
    return item;
  },
});
