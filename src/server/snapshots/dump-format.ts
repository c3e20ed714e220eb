/**
 * The dump format: one JSON document with one row per line. Tables, rows and fields have a fixed order, so exports are
 * deterministic on all engines and can be compared line by line.
 */
import { apiError } from '../../contract/errors.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { toSlices } from '../lib/text-slices.ts';
import { SortedKeys } from '../store/memory/sorted-keys.ts';
import type { StoreDump } from '../store/store.ts';
import { findShape, type StoredRow, type TableShape, tableNames } from '../store/table-shape.ts';
import type { TableName } from '../store/tables.ts';
import type { DumpTables } from './dump.ts';

/** Incremented for each incompatible change of the format. */
const dumpFormatVersion = 1;

/** A dump document before its version is checked. */
export interface DumpDocument {
  readonly formatVersion: number;
  readonly tables?: unknown;
}

/** Encodes a dump in slices: one text of all rows would take half a second in one piece. Rows are immutable. */
export function encodeDump(tables: StoreDump['tables']): Generator<Buffer> {
  return toSlices(formatDump(tables));
}

function* formatDump(tables: StoreDump['tables']): Generator<string> {
  yield `{"formatVersion":${dumpFormatVersion},"tables":{\n`;
  for (const [at, name] of tableNames.entries()) {
    yield `${at > 0 ? ',\n' : ''}${JSON.stringify(name)}:[`;
    yield* formatRows(tables.get(name) ?? []);
    yield ']';
  }
  yield '\n}}\n';
}

function* formatRows(rows: Iterable<StoredRow>): Generator<string> {
  let isEmpty = true;
  for (const row of rows) {
    yield `${isEmpty ? '' : ','}\n${canonicalJson(row)}`;
    isEmpty = false;
  }
  if (!isEmpty) yield '\n';
}

/** Decodes a dump. @throws IamError STATE_NEWER; STATE_DAMAGED with the position and the problem, never the value. */
export async function decodeDump({ formatVersion, tables, ...others }: DumpDocument): Promise<DumpTables> {
  if (formatVersion > dumpFormatVersion)
    throw apiError(
      'STATE_NEWER',
      `The document has format ${formatVersion}; this server supports formats up to ${dumpFormatVersion}.`,
    );
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw createDumpError(`unknown field ${unknown}`);
  if (!isObject(tables)) throw createDumpError('tables must be an object');
  for (const name of Object.keys(tables)) if (!findShape(name)) throw createDumpError(`unknown table ${name}`);
  const dump = new Map<TableName, readonly StoredRow[]>();
  for (const name of tableNames) dump.set(name, await parseRows(name, tables[name]));
  return dump;
}

/** Parses rows, ordered by primary key. */
async function parseRows(name: TableName, rows: unknown): Promise<StoredRow[]> {
  const shape = findShape(name);
  if (!shape || !Array.isArray(rows)) throw createDumpError(`tables.${name} must be a list of rows`);
  const byKey = new Map<string, StoredRow>();
  const keys = new SortedKeys();
  const pause = createPause();
  for (const [number, row] of rows.entries()) {
    await pause();
    const parsed = parseRow(shape, row, `${name}[${number}]`);
    const key = shape.key(parsed);
    if (byKey.has(key)) throw createDumpError(`${name}[${number}] has the same key as another row`);
    byKey.set(key, parsed);
    keys.add(key);
  }
  return [...keys].map((key) => byKey.get(key) as StoredRow);
}

function parseRow({ schema }: TableShape, row: unknown, position: string): StoredRow {
  const result = schema.safeParse(row);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = [position, ...(issue?.path ?? [])].join('.');
  throw createDumpError(`${field} is not valid (${issue?.code ?? 'invalid'})`);
}

/** Creates the error for a document that is not a valid export. */
export function createDumpError(what: string) {
  return apiError('STATE_DAMAGED', `The document is not a valid dump of this service: ${what}.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
