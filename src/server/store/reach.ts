/** Walks along an index that names keys of the same table, such as the dependencies of groups. */
import type { Pause } from '../lib/for-each-yielding.ts';
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
  const values = shape.index.find(([name]) => name === index)?.[1];
  if (values === undefined) throw new Error(`The table ${shape.name} has no index ${index}.`);
  const reached = new Map<string, StoredRow>();
  const open = [...keys];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (reached.has(key)) continue;
    const pausing = pause();
    if (pausing) await pausing;
    const row = get(key);
    if (row === undefined) continue;
    reached.set(key, row);
    open.push(...indexValues(values, row));
  }
  return [...reached.values()];
}
