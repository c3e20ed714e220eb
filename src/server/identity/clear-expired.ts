/** Clears rows away that nobody needs any more, a few with each write: more than come anew, so they do not pile up. */
import type { Randomness } from '../randomness.ts';
import type { Range } from '../store/store.ts';

interface Expiring<R> {
  list(range: Range): Promise<readonly R[]>;
  delete(key: string): Promise<boolean>;
}

const lookedAt = 4;

/** Looks at a few rows from anywhere in the table and at its first ones, and removes those that are over. */
export async function clearExpired<R extends { readonly expiresAt: number }>(
  table: Expiring<R>,
  keyOf: (row: R) => string,
  now: number,
  randomness: Randomness,
): Promise<void> {
  const anywhere = await table.list({ after: randomness.uuid(), limit: lookedAt });
  for (const row of [...anywhere, ...(await table.list({ limit: lookedAt }))])
    if (row.expiresAt <= now) await table.delete(keyOf(row));
}
