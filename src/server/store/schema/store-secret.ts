/** Secrets of the store. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { secret, text } from './fields.ts';

/** Random secrets of this store, such as the key of its digests. */
export const StoreSecretRow = z.strictObject({ name: text, value: secret }).readonly();

export const storeSecretTable = defineTable(StoreSecretRow, (row) => row.name, { unique: {}, index: {} });
