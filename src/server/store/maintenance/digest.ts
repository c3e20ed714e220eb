/** A digest of all rows of a store, independent of the engine, the order of rows and the order of fields. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../lib/canonical-json.ts';
import { findShape, type StoredRow, tableNames } from '../table-shape.ts';

export interface RowsDigest {
  /** Number of rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
}

export function digestRows(rows: ReadonlyMap<string, Iterable<StoredRow>>): RowsDigest {
  const hash = createHash('sha256');
  const tables: Record<string, number> = {};
  for (const name of tableNames) {
    const shape = findShape(name);
    const keyed = [...(rows.get(name) ?? [])].map((row) => [shape?.key(row) ?? '', row] as const);
    keyed.sort(([one], [other]) => (one < other ? -1 : 1));
    hash.update(`${name} ${keyed.length}\n`);
    for (const [, row] of keyed) hash.update(`${canonicalJson(row)}\n`);
    tables[name] = keyed.length;
  }
  return { tables, digest: hash.digest('hex') };
}
