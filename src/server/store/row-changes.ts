/** The differences between two states of a table. */
import { isDeepStrictEqual } from 'node:util';
import { precedes } from '../lib/code-points.ts';
import type { Pause } from '../lib/event-loop-turns.ts';
import type { StoredRow, TableShape } from './table-shape.ts';

export interface RowChanges {
  readonly removed: readonly StoredRow[];
  readonly added: readonly StoredRow[];
  readonly changed: readonly (readonly [before: StoredRow, after: StoredRow])[];
}

/**
 * The changes from one list of rows to another; both are ordered by primary key.
 * @param pause awaited before each row
 */
export async function diffSortedRows(
  { key }: Pick<TableShape, 'key'>,
  from: readonly StoredRow[],
  to: readonly StoredRow[],
  pause: Pause,
): Promise<RowChanges> {
  const changes = { removed: [] as StoredRow[], added: [] as StoredRow[], changed: [] as [StoredRow, StoredRow][] };
  let [left, right] = [0, 0];
  for (;;) {
    const pausing = pause();
    if (pausing) await pausing;
    const [before, after] = [from[left], to[right]];
    if (before === undefined && after === undefined) return changes;
    const order = before === after ? 0 : compareKeys(before && key(before), after && key(after));
    if (order <= 0) left += 1;
    if (order >= 0) right += 1;
    if (before === after) continue;
    if (order < 0 && before !== undefined) changes.removed.push(before);
    else if (order > 0 && after !== undefined) changes.added.push(after);
    else if (before && after && !isDeepStrictEqual(before, after)) changes.changed.push([before, after]);
  }
}

/** Less than zero if the first key precedes the second, or there is no second. */
function compareKeys(before: string | undefined, after: string | undefined): number {
  if (before === undefined) return 1;
  if (after === undefined) return -1;
  return before === after ? 0 : precedes(before, after) ? -1 : 1;
}
