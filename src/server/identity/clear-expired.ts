/** Deletes expired rows, a few with each write: more than are inserted, so that they do not pile up. */
import type { Range } from '../store/store.ts';

interface ExpiringTable<R> {
  list(range: Range): Promise<readonly R[]>;
  delete(key: string): Promise<boolean>;
}

const batchSize = 4;

/**
 * Deletes the expired ones of a few rows: those after the key that is written, and the first ones of the table. Keys that
 * are random, or digests, spread over the whole table whatever prefix they have, and so does what is looked at.
 */
export async function clearExpired<R extends { readonly expiresAt: number }>(
  table: ExpiringTable<R>,
  keyOf: (row: R) => string,
  now: number,
  key: string,
): Promise<void> {
  const next = await table.list({ after: key, limit: batchSize });
  for (const row of [...next, ...(await table.list({ limit: batchSize }))])
    if (row.expiresAt <= now) await table.delete(keyOf(row));
}
