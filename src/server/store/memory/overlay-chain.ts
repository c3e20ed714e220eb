/** Reads through the overlay chain of one table, topmost first. */

import { precedes } from '../../lib/code-points.ts';
import type { Range } from '../store.ts';
import { indexValues, type StoredRow } from '../table-shape.ts';
import type { TableOverlay } from './overlay.ts';
import type { KeyCursor, SortedKeys } from './sorted-keys.ts';

export type OverlayChain = readonly TableOverlay[];

export function readRow(chain: OverlayChain, key: string): StoredRow | undefined {
  for (const overlay of chain) {
    const row = overlay.rows.get(key);
    if (row !== undefined) return row;
    if (overlay.removed.has(key)) return undefined;
  }
  return undefined;
}

/** Returns the row with a value in a unique index. */
export function readUnique(chain: OverlayChain, unique: string, value: string): StoredRow | undefined {
  for (const [depth, overlay] of chain.entries()) {
    const key = overlay.ownerOf(unique, value);
    if (key !== undefined && !isHidden(chain, depth, key)) return overlay.rows.get(key);
  }
  return undefined;
}

export function readMatches(chain: OverlayChain, index: string, value: string, range: Range): StoredRow[] {
  return mergeChain(chain, (overlay) => overlay.matches(index, value), range);
}

export function readAllRows(chain: OverlayChain, range: Range): StoredRow[] {
  return mergeChain(chain, (overlay) => overlay.keys, range);
}

/** Takes time proportional to the overlays above the base, which contain only recent changes. */
export function countRows(chain: OverlayChain): number {
  const bottom = chain.at(-1);
  if (bottom === undefined) return 0;
  let count = bottom.rows.size;
  for (const [depth, overlay] of chain.slice(0, -1).entries()) {
    for (const key of overlay.rows.keys()) if (!bottom.rows.has(key) && !isHidden(chain, depth, key)) count += 1;
    for (const key of overlay.removed) if (bottom.rows.has(key) && !isHidden(chain, depth, key)) count -= 1;
  }
  return count;
}

/** The number of rows by their value in a plain index; takes time as `countRows`. */
export function countByValue(chain: OverlayChain, index: string): ReadonlyMap<string, number> {
  const bottom = chain.at(-1);
  if (bottom === undefined) return new Map();
  const counts = bottom.counts(index);
  const values = bottom.shape.index.find(([name]) => name === index)?.[1];
  const add = (row: StoredRow | undefined, difference: number) => {
    if (row === undefined || values === undefined) return;
    for (const value of indexValues(values, row)) counts.set(value, (counts.get(value) ?? 0) + difference);
  };
  const changed = new Set(chain.slice(0, -1).flatMap(({ rows, removed }) => [...rows.keys(), ...removed]));
  for (const key of changed) {
    add(bottom.rows.get(key), -1);
    add(readRow(chain, key), 1);
  }
  for (const [value, count] of counts) if (count === 0) counts.delete(value);
  return counts;
}

/** Whether an overlay above `depth` contains or removes the key. */
function isHidden(chain: OverlayChain, depth: number, key: string): boolean {
  for (let above = 0; above < depth; above += 1) if (chain[above]?.covers(key)) return true;
  return false;
}

interface OverlayCursor {
  readonly depth: number;
  readonly cursor: KeyCursor;
}

function mergeChain(
  chain: OverlayChain,
  keysOf: (overlay: TableOverlay) => SortedKeys | undefined,
  range: Range,
): StoredRow[] {
  const { after, limit = Number.POSITIVE_INFINITY } = range;
  const [only] = chain;
  if (only !== undefined && chain.length === 1)
    return (keysOf(only)?.slice(after, limit) ?? []).map((key) => only.rows.get(key) as StoredRow);
  const cursors = openCursors(chain, keysOf, after);
  const rows: StoredRow[] = [];
  while (rows.length < limit) {
    const lowest = findLowest(cursors);
    const key = lowest?.cursor.key;
    if (lowest === undefined || key === undefined) break;
    if (!isHidden(chain, lowest.depth, key)) rows.push(chain[lowest.depth]?.rows.get(key) as StoredRow);
    for (const { cursor } of cursors) if (cursor.key === key) cursor.advance();
  }
  return rows;
}

function openCursors(
  chain: OverlayChain,
  keysOf: (overlay: TableOverlay) => SortedKeys | undefined,
  after: string | undefined,
): OverlayCursor[] {
  const cursors: OverlayCursor[] = [];
  for (const [depth, overlay] of chain.entries()) {
    const keys = keysOf(overlay);
    if (keys !== undefined) cursors.push({ depth, cursor: keys.cursor(after) });
  }
  return cursors;
}

/** The cursor at the lowest key; if several are, the one of the topmost overlay. */
function findLowest(cursors: readonly OverlayCursor[]): OverlayCursor | undefined {
  let lowest: OverlayCursor | undefined;
  let lowestKey: string | undefined;
  for (const candidate of cursors) {
    const { key } = candidate.cursor;
    if (key === undefined || (lowestKey !== undefined && !precedes(key, lowestKey))) continue;
    lowest = candidate;
    lowestKey = key;
  }
  return lowest;
}
