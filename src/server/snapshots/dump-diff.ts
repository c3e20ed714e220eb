/** Compares two dumps table by table, without secrets. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { FieldDifference } from '../../contract/changes/field-lines.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { FieldTree } from '../../contract/redaction.ts';
import { forEachYielding } from '../lib/event-loop-turns.ts';
import { type StoredRow, tableNames } from '../store/table-shape.ts';
import { type TableName, tables } from '../store/tables.ts';
import { type DumpTables, diffRows, keyOf } from './dump.ts';

export interface TableDifference {
  readonly table: TableName;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly key: string; readonly fields: readonly FieldDifference[] }[];
}

/** All tables except those with keys of the server. */
export const comparedTables = tableNames.filter((name) => name !== 'signingKeys' && name !== 'storeSecrets');

type IsSecret = (field: string) => boolean;

/** Returns the check whether the row schema of a table marks a field as sensitive. */
export function createSecretCheck(table: TableName): IsSecret {
  const row = new FieldTree([z.toJSONSchema(tables[table].schema, { unrepresentable: 'any' }) as JsonSchema]);
  return (field) => row.field(field)?.level !== undefined;
}

export type SecretChecks = (table: TableName) => IsSecret;

/** Creates the check of each table once: to convert its schema costs more than to compare a row. */
export function createSecretChecks(): SecretChecks {
  const checks = new Map<TableName, IsSecret>();
  return (table) => {
    const check = checks.get(table) ?? createSecretCheck(table);
    checks.set(table, check);
    return check;
  };
}

export async function diffDumps(from: DumpTables, to: DumpTables): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const table of comparedTables) {
    const { added, removed, changed } = await diffRows(table, from.get(table) ?? [], to.get(table) ?? []);
    if (added.length + removed.length + changed.length === 0) continue;
    const isSecret = createSecretCheck(table);
    const readKey = (row: StoredRow) => redactKey(keyOf(table, row), row, isSecret);
    const changedRows: TableDifference['changed'][number][] = [];
    await forEachYielding(changed, async ([before, after]) => {
      changedRows.push({ key: readKey(after), fields: diffFields(before, after, isSecret) });
    });
    differences.push({
      table,
      added: await listKeys(added, readKey),
      removed: await listKeys(removed, readKey),
      changed: changedRows,
    });
  }
  return differences;
}

async function listKeys(rows: readonly StoredRow[], readKey: (row: StoredRow) => string): Promise<string[]> {
  const keys: string[] = [];
  await forEachYielding(rows, async (row) => {
    keys.push(readKey(row));
  });
  return keys;
}

/** Shortens a key that is a secret or its hash. */
function redactKey(key: string, row: StoredRow, isSecret: IsSecret): string {
  const isSecretKey = Object.entries(row).some(([field, value]) => value === key && isSecret(field));
  return isSecretKey ? `${key.slice(0, 12)}...` : key;
}

export function diffFields(before: StoredRow, after: StoredRow, isSecret: IsSecret): FieldDifference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return fields
    .filter((field) => before[field] !== after[field] && !isDeepStrictEqual(before[field], after[field]))
    .map((field) => (isSecret(field) ? { field } : { field, before: before[field], after: after[field] }));
}

export const changeActions = ['created', 'changed', 'deleted'] as const;
export type ChangeAction = (typeof changeActions)[number];

/** What happened to a row that was so before and is so after. */
export function actionOf({ before, after }: { readonly before?: unknown; readonly after?: unknown }): ChangeAction {
  if (before === undefined) return 'created';
  return after === undefined ? 'deleted' : 'changed';
}
