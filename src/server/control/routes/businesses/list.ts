import { singleLine } from '../../../../contract/schemas/primitives.ts';
import type { Business } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { buildListQuery, createTextFilter, readSortedPage, type SortColumns } from '../../sorted-pages.ts';
import { BusinessItem, toBusinessItem } from './business-item.ts';

const columns: SortColumns<Business> = {
  businessId: ({ businessId }) => businessId,
  businessName: ({ businessName }) => businessName,
  document: ({ document }) => document,
  createdAt: ({ createdAt }) => createdAt,
};

export default defineRoute({
  capability: 'read',
  id: 'control.businesses',
  title: 'List businesses',
  description: 'With the customer and the corporate group of each business.',
  method: 'GET',
  path: '/businesses',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...buildListQuery(columns, 'the id, name or document'),
      name: singleLine(200, 'Only businesses with exactly this name')
        .optional()
        .meta({ examples: ['Example Shop'] }),
    },
  },
  response: { page: BusinessItem, counted: true },
  errors: [],

  async handle({ query }, { store, range }) {
    const { name, search } = query;
    const hasText = createTextFilter(search);
    const page = await readSortedPage({
      range,
      query,
      fetch: (part) => store.businesses.list(part),
      countRows: () => store.businesses.count(),
      keyOf: ({ businessId }) => businessId,
      isMatch: ({ businessId, businessName, document }) =>
        (name === undefined || businessName === name) && hasText([businessId, businessName, document]),
      columns,
    });
    return { ...page, items: await Promise.all(page.items.map((business) => toBusinessItem(store, business))) };
  },
});
