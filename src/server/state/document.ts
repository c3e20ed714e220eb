/**
 * The state as one JSON document: every table with one row a line, tables and rows always in the same order, so that
 * two exports of one state are the same bytes and tools can compare them line by line.
 */
import { fault } from '../../contract/errors.ts';
import { createPause, type Pause } from '../each-in-turns.ts';
import { findShape, type StoredRow, type TableShape, tableNames } from '../store/layer.ts';
import { SortedKeys } from '../store/sorted-keys.ts';
import type { TableName } from '../store/tables.ts';
import type { Image } from './image.ts';

/** Rises whenever an older program could not make use of what a newer one writes. */
export const stateFormat = 1;

/** What a document is, as far as it can be said before its version is known. */
export interface StateDocument {
  readonly formatVersion: number;
  readonly tables?: unknown;
}

/** Others have their turns meanwhile: rows do not change in place. */
export async function encodeState(image: Image): Promise<string> {
  const pause = createPause();
  const parts: string[] = [];
  for (const name of tableNames) parts.push(`${JSON.stringify(name)}:[${await linesOf(image.get(name) ?? [], pause)}]`);
  return `{"formatVersion":${stateFormat},"tables":{\n${parts.join(',\n')}\n}}\n`;
}

async function linesOf(rows: readonly StoredRow[], pause: Pause): Promise<string> {
  const lines: string[] = [];
  for (const row of rows) {
    const pausing = pause();
    if (pausing) await pausing;
    lines.push(JSON.stringify(row));
  }
  return lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`;
}

/** @throws IamError STATE_NEWER; STATE_DAMAGED naming the place. What is wrong there is told, what stands there is not. */
export async function decodeState({ formatVersion, tables, ...others }: StateDocument): Promise<Image> {
  if (formatVersion > stateFormat)
    throw fault('STATE_NEWER', `The document has format ${formatVersion}; this server knows ${stateFormat}.`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw damaged(`there is no such field as ${unknown}`);
  if (!isObject(tables)) throw damaged('tables must be an object');
  for (const name of Object.keys(tables)) if (!findShape(name)) throw damaged(`there is no table ${name}`);
  const image = new Map<TableName, readonly StoredRow[]>();
  for (const name of tableNames) image.set(name, await rowsOf(name, tables[name]));
  return image;
}

/** In the order of their keys. */
async function rowsOf(name: TableName, given: unknown): Promise<StoredRow[]> {
  const shape = findShape(name);
  if (!shape || !Array.isArray(given)) throw damaged(`tables.${name} must be a list of rows`);
  const byKey = new Map<string, StoredRow>();
  const keys = new SortedKeys();
  const pause = createPause();
  for (const [number, row] of given.entries()) {
    await pause();
    const good = checked(shape, row, `${name}[${number}]`);
    const key = shape.key(good);
    if (byKey.has(key)) throw damaged(`${name}[${number}] has the key of another row`);
    byKey.set(key, good);
    keys.add(key);
  }
  return [...keys].map((key) => byKey.get(key) as StoredRow);
}

function checked({ schema }: TableShape, row: unknown, place: string): StoredRow {
  const result = schema.safeParse(row);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = [place, ...(issue?.path ?? [])].join('.');
  throw damaged(`${field} is not what such a row holds (${issue?.code ?? 'invalid'})`);
}

/** The document can't be what an export gave. */
export function damaged(what: string) {
  return fault('STATE_DAMAGED', `The document is no state of this service: ${what}.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
