/** GET /_iam/businesses */
import * as z from 'zod';
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../directory/pagination.ts';
import type { Reader } from '../../../store/store.ts';
import type { Business } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';

const BusinessItem = z.strictObject({
  businessId: z.string(),
  businessName: z.string(),
  document: z.string().optional(),
  organizationId: z.string().optional(),
  businessUnitId: z.string().optional(),
  createdAt: z.string().optional(),
  customerId: z.int().optional(),
  corporateGroupId: z.string().optional(),
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
  request: { query: { ...PageQuery, name: singleLine(200, 'Only businesses with exactly this name').optional() } },
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
