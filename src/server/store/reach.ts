/** Walks along an index that names keys of the same table, such as the dependencies of groups. */
import type { Pause } from '../lib/event-loop-turns.ts';
import { indexValues, type StoredRow, type TableShape } from './table-shape.ts';

export interface ReachOptions {
  readonly shape: TableShape;
  readonly index: string;
  readonly keys: readonly string[];
  get(key: string): StoredRow | undefined;
  /** Awaited before each row. */
  readonly pause: Pause;
}

/** See `TableReader.reach`. Skips keys without a row. */
export async function collectReachedRows({ shape, index, keys, get, pause }: ReachOptions): Promise<StoredRow[]> {
  const reached = new Map<string, StoredRow>();
  const open = [...keys];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (reached.has(key)) continue;
    const pausing = pause();
    if (pausing) await pausing;
    const row = get(key);
    if (row === undefined) continue;
    reached.set(key, row);
    open.push(...valuesOf(shape, index, row));
  }
  return [...reached.values()];
}

/** The values of a row in a plain index. */
export function valuesOf({ name, index: indexes }: TableShape, index: string, row: StoredRow): readonly string[] {
  for (const [declared, values] of indexes) if (declared === index) return indexValues(values, row);
  throw new Error(`The table ${name} has no index ${index}.`);
}
