/**
 * What a transaction that runs beside others has read (optimistic concurrency control with validation at each commit of
 * another: Kung and Robinson, On optimistic methods for concurrency control, 1981). Reads see the commits of others at
 * once. A commit that changes what was read before ends the attempt, so that its work runs again: an attempt that comes
 * to its end has read what it would read alone at that moment.
 */
import { indexValues, type StoredRow } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import { Overlay, type TableOverlay } from './overlay.ts';

interface TableReads {
  readsAll: boolean;
  readonly keys: Set<string>;
  /** By index. A row that loses a value is among the keys, as it was read for it. */
  readonly values: Map<string, Set<string>>;
}

/** Records the reads of one transaction. */
export class ReadSet {
  readonly #tables = new Map<TableName, TableReads>();
  readonly #replacements = new Map<TableName, ReadonlyMap<string, StoredRow>>();
  readonly #top: Overlay;
  #isOutdated = false;
  #late: Overlay | undefined;

  /** @param top the writes of the transaction */
  constructor(top: Overlay) {
    this.#top = top;
  }

  /** Whether another transaction has changed what this one has read. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  addKey(name: TableName, key: string): void {
    this.#of(name).keys.add(key);
  }

  addValue(name: TableName, index: string, value: string): void {
    const { values } = this.#of(name);
    const known = values.get(index);
    if (known) known.add(value);
    else values.set(index, new Set([value]));
  }

  addAll(name: TableName): void {
    this.#of(name).readsAll = true;
  }

  /** From now on, the table has these rows for the transaction, whatever others commit. */
  addReplacement(name: TableName, rows: ReadonlyMap<string, StoredRow>): void {
    this.#replacements.set(name, rows);
  }

  /** @returns an overlay that also receives what is written to replaced tables from now on. */
  collectLate(): Overlay {
    this.#late = new Overlay('transient');
    return this.#late;
  }

  /** Must be called with the writes of each other transaction before they are visible. */
  observe(commit: Overlay): void {
    for (const part of commit.parts()) {
      const { name } = part.shape;
      const reads = this.#tables.get(name);
      if (reads !== undefined && conflicts(reads, part)) this.#isOutdated = true;
      const replacement = this.#replacements.get(name);
      if (replacement === undefined) continue;
      restore(this.#top.table(name), replacement, part);
      if (this.#late !== undefined) restore(this.#late.table(name), replacement, part);
    }
  }

  #of(name: TableName): TableReads {
    const known = this.#tables.get(name);
    if (known) return known;
    const created: TableReads = { readsAll: false, keys: new Set(), values: new Map() };
    this.#tables.set(name, created);
    return created;
  }
}

function conflicts(reads: TableReads, { shape, rows, removed }: TableOverlay): boolean {
  if (reads.readsAll) return true;
  for (const key of removed) if (reads.keys.has(key)) return true;
  for (const key of rows.keys()) if (reads.keys.has(key)) return true;
  for (const [index, valuesOf] of [...shape.unique, ...shape.index]) {
    const values = reads.values.get(index);
    if (values === undefined) continue;
    for (const row of rows.values()) if (indexValues(valuesOf, row).some((value) => values.has(value))) return true;
  }
  return false;
}

/** Undoes what another transaction has written to a table that is replaced. */
function restore(top: TableOverlay, replacement: ReadonlyMap<string, StoredRow>, written: TableOverlay): void {
  for (const key of [...written.removed, ...written.rows.keys()]) {
    const row = replacement.get(key);
    if (row === undefined) top.remove(key);
    else top.put(key, row);
  }
}
