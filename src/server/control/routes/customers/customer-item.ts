/** A customer in responses of the control plane. */
import * as z from 'zod';
import type { Reader } from '../../../store/store.ts';
import type { Customer } from '../../../store/tables.ts';

export const CustomerItem = z.strictObject({
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

/** Adds the name of a business to its customer. */
export async function toCustomerItem(store: Reader, customer: Customer): Promise<z.input<typeof CustomerItem>> {
  if (customer.businessId === undefined) return customer;
  const business = await store.businesses.get(customer.businessId);
  return business ? { ...customer, name: business.businessName } : customer;
}
