import { singleLine } from '../../../../contract/schemas/primitives.ts';
import type { Client } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { buildListQuery, createTextFilter, readSortedPage, type SortColumns } from '../../sorted-pages.ts';
import { ClientItem, toClientItems } from './client-item.ts';

const columns: SortColumns<Client> = {
  clientId: ({ clientId }) => clientId,
  appId: ({ appId }) => appId,
  serviceAccountId: ({ serviceAccountId }) => serviceAccountId,
  createdAt: ({ createdAt }) => createdAt,
};

export default defineRoute({
  capability: 'read',
  id: 'control.clients',
  title: 'List clients',
  description: 'Without secrets.',
  method: 'GET',
  path: '/clients',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...buildListQuery(columns, 'the client id, service account id or application'),
      name: singleLine(64, 'Only clients with this client id, service account id or application')
        .optional()
        .meta({ examples: ['billing'] }),
    },
  },
  response: { page: ClientItem, counted: true },
  errors: [],

  async handle({ query }, { store, clock, range }) {
    const { name, search } = query;
    const now = clock.now();
    const hasText = createTextFilter(search);
    const page = await readSortedPage({
      range,
      query,
      fetch: (part) => store.clients.list(part),
      countRows: () => store.clients.count(),
      keyOf: ({ clientId }) => clientId,
      isMatch({ clientId, serviceAccountId, appId }) {
        const names = [clientId, serviceAccountId, appId];
        const isNamed = name === undefined || names.includes(name) || names.includes(name.normalize('NFC'));
        return isNamed && hasText(names);
      },
      columns,
    });
    return { ...page, items: await toClientItems(store, page.items, now) };
  },
});
