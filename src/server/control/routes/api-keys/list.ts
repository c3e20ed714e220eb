import type { ApiKeyView } from '../../../directory/api-keys.ts';
import { defineRoute } from '../../define.ts';
import { addNames } from '../../name-fields.ts';
import { buildListQuery, createTextFilter, readSortedPage, type SortColumns } from '../../sorted-pages.ts';
import { ApiKeyItem, toApiKeyItem } from './api-key-item.ts';

const columns: SortColumns<ApiKeyView> = {
  apiKeyId: ({ apiKeyId }) => apiKeyId,
  appId: ({ appId }) => appId,
  clientId: ({ clientId }) => clientId,
  createdAt: ({ createdAt }) => createdAt,
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt,
};

export default defineRoute({
  capability: 'read',
  id: 'control.api-keys',
  title: 'List API keys',
  description: 'Without the keys themselves. The list of the interface has exact filters only.',
  method: 'GET',
  path: '/api-keys',
  audit: { kind: 'read', targets: {} },
  request: { query: buildListQuery(columns, 'the id, the application, the client id or the hint') },
  response: { page: ApiKeyItem, counted: true },
  errors: [],

  async handle({ query }, { store, clock, range, authentication }) {
    const { search } = query;
    const now = clock.now();
    const hasText = createTextFilter(search);
    const page = await readSortedPage({
      range,
      query,
      fetch: async (part) =>
        (await store.apiKeys.list(part)).map((row) => toApiKeyItem(row, authentication.apiKeyUses, now)),
      countRows: () => store.apiKeys.count(),
      keyOf: ({ apiKeyId }) => apiKeyId,
      isMatch: ({ apiKeyId, appId, clientId, hint }) => hasText([apiKeyId, appId, clientId, hint]),
      columns,
    });
    return { ...page, items: await addNames(store, page.items, 'clientId') };
  },
});
