/** Businesses. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, text } from './fields.ts';

export const BusinessRow = z
  .strictObject({
    businessId: text,
    businessName: text,
    document: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    createdAt: instant.optional(),
  })
  .readonly();

export type Business = z.infer<typeof BusinessRow>;

export const businessTable = defineTable(BusinessRow, (row) => row.businessId, {
  unique: { document: (row) => row.document },
  index: {},
});
