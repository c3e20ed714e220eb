/** A business in responses of the control plane. */
import * as z from 'zod';
import type { Reader } from '../../../store/store.ts';
import type { Business } from '../../../store/tables.ts';

export const BusinessItem = z.strictObject({
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

/** Adds the customer and the corporate group of a business. */
export async function toBusinessItem(store: Reader, business: Business): Promise<z.input<typeof BusinessItem>> {
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
