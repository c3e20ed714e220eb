/** A customer in responses of the control plane. */

import * as z from 'zod';
import { exampleInt, exampleText, optionalText } from '../../../../contract/schemas/primitives.ts';
import type { Reader } from '../../../store/store.ts';
import type { Customer } from '../../../store/tables.ts';
import { nameFieldsOf } from '../../name-fields.ts';

export const CustomerItem = z.strictObject({
  customerId: exampleInt(1001),
  document: exampleText('12345678900'),
  name: optionalText('Example Shop', 'Name of the customer; for a business, the business name'),
  userId: optionalText('alice'),
  ...nameFieldsOf('userId'),
  businessId: optionalText('example-shop'),
  createdAt: exampleText('2026-03-01T12:00:00.000Z'),
});

/** Adds the name of a business to its customer. */
export async function toCustomerItem(store: Reader, customer: Customer): Promise<z.input<typeof CustomerItem>> {
  if (customer.businessId === undefined) return customer;
  const business = await store.businesses.get(customer.businessId);
  return business ? { ...customer, name: business.businessName } : customer;
}
