/** A business in responses of the control plane. */

import * as z from 'zod';
import { exampleText, optionalInt, optionalText } from '../../../../contract/schemas/primitives.ts';
import type { Reader } from '../../../store/store.ts';
import type { Business } from '../../../store/tables.ts';
import { nameFieldsOf } from '../../name-fields.ts';

export const BusinessItem = z.strictObject({
  businessId: exampleText('example-shop'),
  businessName: exampleText('Example Shop'),
  document: optionalText('12345678900'),
  organizationId: optionalText('example-org'),
  businessUnitId: optionalText('retail'),
  createdAt: optionalText('2026-03-01T12:00:00.000Z'),
  customerId: optionalInt(1001),
  corporateGroupId: optionalText('64b0c0ffee00000000000005'),
  ...nameFieldsOf('corporateGroupId'),
});

/** Adds the customer and the corporate group of a business. */
export async function toBusinessItem(store: Reader, business: Business): Promise<z.input<typeof BusinessItem>> {
  const [customer, corporateGroup] = await Promise.all([
    store.customers.getBy('businessId', business.businessId),
    store.corporateGroups.getBy('business', business.businessId),
  ]);
  return {
    ...business,
    ...(customer === undefined ? {} : { customerId: customer.customerId }),
    ...(corporateGroup === undefined
      ? {}
      : { corporateGroupId: corporateGroup.corporateGroupId, corporateGroupName: corporateGroup.corporateGroupName }),
  };
}
