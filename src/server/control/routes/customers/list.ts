/** GET /_iam/customers */
import * as z from 'zod';
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import type { Reader } from '../../../store/store.ts';
import { type Customer, customerKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';

const CustomerItem = z.strictObject({
  customerId: z.int().meta({ examples: [1001] }),
  document: z.string().meta({ examples: ['12345678900'] }),
  name: z
    .string()
    .optional()
    .meta({ description: 'Name of the customer; for a business, the business name', examples: ['Example Shop'] }),
  userId: z
    .string()
    .optional()
    .meta({ examples: ['alice'] }),
  businessId: z
    .string()
    .optional()
    .meta({ examples: ['example-shop'] }),
  createdAt: z.string().meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
});

export default defineRoute({
  capability: 'read',
  id: 'control.customers',
  title: 'List customers',
  description: 'Users and businesses, sorted by customer id.',
  method: 'GET',
  path: '/customers',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      name: singleLine(200, 'Only customers with exactly this name')
        .optional()
        .meta({ examples: ['Example Shop'] }),
    },
  },
  response: { page: CustomerItem },
  errors: [],

  async handle({ query: { name } }, { store, range }) {
    return readFilteredPage(
      range,
      async (part) =>
        Promise.all((await store.customers.list(part)).map((customer) => toCustomerItem(store, customer))),
      ({ customerId }) => customerKey(customerId),
      (customer) => name === undefined || customer.name === name,
    );
  },
});

async function toCustomerItem(store: Reader, customer: Customer): Promise<z.input<typeof CustomerItem>> {
  if (customer.businessId === undefined) return customer;
  const business = await store.businesses.get(customer.businessId);
  return business ? { ...customer, name: business.businessName } : customer;
}
