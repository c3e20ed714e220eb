/** Pages of ordered lists. */
import type { Page } from '../../contract/operation.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import type { Range } from './store.ts';

/** Builds a page from `limit + 1` fetched rows; the extra row shows that more follow. */
export function toPage<Item>(rows: readonly Item[], limit: number, keyOf: (row: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined ? { items, next: keyOf(last) } : { items };
}

/** Rows per fetch after a first one that did not fill the page. */
const nextFetchLimit = 500;
const rowsPerTurn = 2_000;

/**
 * A page of the rows of an ordered source that match the filter. Fetches until the page is full or the source ends, so
 * that only the last page can be short. Yields to the event loop.
 */
export async function readFilteredPage<Item>(
  range: { readonly after?: string | undefined; readonly limit: number },
  fetch: (part: Range) => Promise<readonly Item[]>,
  keyOf: (row: Item) => string,
  isMatch: (row: Item) => boolean,
): Promise<Page<Item>> {
  let fetchLimit = range.limit + 1;
  const pause = createPause(rowsPerTurn);
  const matches: Item[] = [];
  let after = range.after;
  for (;;) {
    const rows = await fetch({ after, limit: fetchLimit });
    matches.push(...rows.filter(isMatch));
    const last = rows.at(-1);
    if (matches.length > range.limit || rows.length < fetchLimit || last === undefined)
      return toPage(matches, range.limit, keyOf);
    after = keyOf(last);
    await pause(rows.length);
    fetchLimit = Math.max(fetchLimit, nextFetchLimit);
  }
}
