/** GET /_iam/businesses */
import * as z from 'zod';
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import type { Reader } from '../../../store/store.ts';
import type { Business } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';

const BusinessItem = z.strictObject({
  businessId: z.string().meta({ examples: ['example-shop'] }),
  businessName: z.string().meta({ examples: ['Example Shop'] }),
  document: z
    .string()
    .optional()
    .meta({ examples: ['12345678900'] }),
  organizationId: z
    .string()
    .optional()
    .meta({ examples: ['example-org'] }),
  businessUnitId: z
    .string()
    .optional()
    .meta({ examples: ['retail'] }),
  createdAt: z
    .string()
    .optional()
    .meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  customerId: z
    .int()
    .optional()
    .meta({ examples: [1001] }),
  corporateGroupId: z
    .string()
    .optional()
    .meta({ examples: ['64b0c0ffee00000000000005'] }),
});

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

async function toBusinessItem(store: Reader, business: Business): Promise<z.input<typeof BusinessItem>> {
  const [customer, corporateGroup] = await Promise.all([
    store.customers.getBy('businessId', business.businessId),
    store.corporateGroups.getBy('business', business.businessId),
  ]);
  return {
    ...business,
    ...(customer === undefined ? {} : { customerId: customer.customerId }),
    ...(corporateGroup === undefined ? {} : { corporateGroupId: corporateGroup.corporateGroupId }),
  };
}
