/** GET /_iam/businesses */
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import { defineRoute } from '../../define.ts';
import { BusinessItem, toBusinessItem } from './business-item.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.businesses',
  title: 'List businesses',
  description: 'Sorted by id, with the customer and the corporate group of each business.',
  method: 'GET',
  path: '/businesses',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      name: singleLine(200, 'Only businesses with exactly this name')
        .optional()
        .meta({ examples: ['Example Shop'] }),
    },
  },
  response: { page: BusinessItem },
  errors: [],

  async handle({ query: { name } }, { store, range }) {
    const page = await readFilteredPage(
      range,
      (part) => store.businesses.list(part),
      ({ businessId }) => businessId,
      ({ businessName }) => name === undefined || businessName === name,
    );
    return { ...page, items: await Promise.all(page.items.map((business) => toBusinessItem(store, business))) };
  },
});
