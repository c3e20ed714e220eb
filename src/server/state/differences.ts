/** What parts one state from another, table by table, without secrets. */
import { isDeepStrictEqual } from 'node:util';
import { eachInTurns } from '../each-in-turns.ts';
import { type StoredRow, tableNames } from '../store/layer.ts';
import type { TableName } from '../store/tables.ts';
import { changesBetween, type Image, keyOf } from './image.ts';

export interface FieldDifference {
  readonly field: string;
  /** Both are missing where the field holds a secret. */
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface TableDifference {
  readonly table: TableName;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly key: string; readonly fields: readonly FieldDifference[] }[];
}

/** Fields that hold secrets, or what takes the place of one. Texts of messages may have passwords in them. */
const secretFields = /hash$|secret|sealed|private|token|^value$|^text$/i;

/** Keys of the server are not what states are compared for. */
const compared = tableNames.filter((name) => name !== 'signingKeys' && name !== 'storeSecrets');

/** Only tables that differ. */
export async function differencesBetween(from: Image, to: Image): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const table of compared) {
    const { added, removed, changed } = await changesBetween(table, from.get(table) ?? [], to.get(table) ?? []);
    if (added.length + removed.length + changed.length === 0) continue;
    const shown: TableDifference['changed'][number][] = [];
    await eachInTurns(changed, async ([before, after]) => {
      shown.push({ key: shownKey(table, after), fields: fieldsOf(before, after) });
    });
    differences.push({
      table,
      added: await shownKeys(table, added),
      removed: await shownKeys(table, removed),
      changed: shown,
    });
  }
  return differences;
}

async function shownKeys(table: TableName, rows: readonly StoredRow[]): Promise<string[]> {
  const keys: string[] = [];
  await eachInTurns(rows, async (row) => {
    keys.push(shownKey(table, row));
  });
  return keys;
}

/** The key of some tables is the hash of a secret: so much of it as tells one from another. */
function shownKey(table: TableName, row: StoredRow): string {
  const key = keyOf(table, row);
  const isSecret = Object.entries(row).some(([field, value]) => value === key && secretFields.test(field));
  return isSecret ? `${key.slice(0, 12)}...` : key;
}

function fieldsOf(before: StoredRow, after: StoredRow): FieldDifference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => (secretFields.test(field) ? { field } : { field, before: before[field], after: after[field] }));
}
