/** Counters, such as that of the customer ids. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { text } from './fields.ts';

/** Sequential counters. */
export const CounterRow = z.strictObject({ name: text, last: z.int() }).readonly();

export const counterTable = defineTable(CounterRow, (row) => row.name, { unique: {}, index: {} });
