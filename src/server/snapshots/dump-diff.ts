/** Compares two dumps table by table, without secrets. */
import { isDeepStrictEqual } from 'node:util';
import { forEachYielding } from '../lib/event-loop-turns.ts';
import { type StoredRow, tableNames } from '../store/table-shape.ts';
import type { TableName } from '../store/tables.ts';
import { type DumpTables, diffRows, keyOf } from './dump.ts';

export interface FieldDifference {
  readonly field: string;
  /** Both are missing if the field contains a secret. */
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface TableDifference {
  readonly table: TableName;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly key: string; readonly fields: readonly FieldDifference[] }[];
}

/** Fields that contain secrets or their substitutes. Message texts may contain passwords. */
const secretFields = /hash$|secret|sealed|private|token|^value$|^text$/i;

/** All tables except those with keys of the server. */
const comparedTables = tableNames.filter((name) => name !== 'signingKeys' && name !== 'storeSecrets');

/** Returns the tables that differ. */
export async function diffDumps(from: DumpTables, to: DumpTables): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const table of comparedTables) {
    const { added, removed, changed } = await diffRows(table, from.get(table) ?? [], to.get(table) ?? []);
    if (added.length + removed.length + changed.length === 0) continue;
    const changedRows: TableDifference['changed'][number][] = [];
    await forEachYielding(changed, async ([before, after]) => {
      changedRows.push({ key: redactKey(table, after), fields: diffFields(before, after) });
    });
    differences.push({
      table,
      added: await redactKeys(table, added),
      removed: await redactKeys(table, removed),
      changed: changedRows,
    });
  }
  return differences;
}

async function redactKeys(table: TableName, rows: readonly StoredRow[]): Promise<string[]> {
  const keys: string[] = [];
  await forEachYielding(rows, async (row) => {
    keys.push(redactKey(table, row));
  });
  return keys;
}

/** Shortens a key that is the hash of a secret. */
function redactKey(table: TableName, row: StoredRow): string {
  const key = keyOf(table, row);
  const isSecret = Object.entries(row).some(([field, value]) => value === key && secretFields.test(field));
  return isSecret ? `${key.slice(0, 12)}...` : key;
}

function diffFields(before: StoredRow, after: StoredRow): FieldDifference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => (secretFields.test(field) ? { field } : { field, before: before[field], after: after[field] }));
}
