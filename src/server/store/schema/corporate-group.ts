/** Corporate groups: businesses of one owner. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, names, text } from './fields.ts';

export const CorporateGroupRow = z
  .strictObject({
    corporateGroupId: text,
    corporateGroupName: text,
    organizationId: text.optional(),
    /** Ids of its businesses. A business belongs to one corporate group at most. */
    businesses: names,
    createdAt: instant,
  })
  .readonly();

export type CorporateGroup = z.infer<typeof CorporateGroupRow>;

export const corporateGroupTable = defineTable(CorporateGroupRow, (row) => row.corporateGroupId, {
  unique: { corporateGroupName: (row) => row.corporateGroupName, business: (row) => row.businesses },
  index: {},
});
