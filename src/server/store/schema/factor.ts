/** Alternative contacts of users. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, names, Phone, text } from './fields.ts';

/** An alternative contact of a user. */
export const FactorRow = z
  .strictObject({
    factorId: text,
    userId: text,
    contactType: z.enum(['EMAIL', 'MOBILE']),
    email: text.optional(),
    mobile: Phone.optional(),
    tags: names,
    verified: z.boolean(),
    createdAt: instant,
  })
  .readonly();

export type Factor = z.infer<typeof FactorRow>;

export const factorTable = defineTable(FactorRow, (row) => row.factorId, {
  unique: {},
  index: { userId: (row) => row.userId },
});
