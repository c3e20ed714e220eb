/** Deletes a few expired rows with each write: more than are inserted, so that they do not accumulate. */
import type { Range } from './store.ts';

export interface ExpiringTable<R> {
  list(range: Range): Promise<readonly R[]>;
  delete(key: string): Promise<boolean>;
}

const batchSize = 4;

/**
 * Deletes the expired rows among those after the key that is written and those at the start of the table. Random keys
 * and digests spread evenly over the table, so the checked rows do too.
 */
export async function clearExpired<R extends { readonly expiresAt: number }>(
  table: ExpiringTable<R>,
  keyOf: (row: R) => string,
  now: number,
  key: string,
): Promise<void> {
  const batches = await Promise.all([table.list({ after: key, limit: batchSize }), table.list({ limit: batchSize })]);
  for (const row of batches.flat()) if (row.expiresAt <= now) await table.delete(keyOf(row));
}
