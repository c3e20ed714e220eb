/** Customers: the numbers of users and businesses. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, text } from './fields.ts';

export const CustomerRow = z
  .strictObject({
    customerId: z.int(),
    document: text,
    name: text.optional(),
    userId: text.optional(),
    businessId: text.optional(),
    createdAt: instant,
  })
  .readonly();

export type Customer = z.infer<typeof CustomerRow>;

/** Customer ids are numbers; their keys are padded to sort in the same order. */
export function customerKey(customerId: number): string {
  return String(customerId).padStart(12, '0');
}

export const customerTable = defineTable(CustomerRow, (row) => customerKey(row.customerId), {
  unique: {
    userId: (row) => row.userId,
    businessId: (row) => row.businessId,
    document: (row) => `${row.userId === undefined ? 'business' : 'user'}/${row.document}`,
  },
  index: {},
});
