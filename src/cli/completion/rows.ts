/** From rows of a list to candidates: which of their properties a value is, and what says most about it. Pure. */
import { nameOf } from '../runtime/names.ts';
import { cell, type Row } from '../runtime/table.ts';
import type { Candidate } from './candidate.ts';

export type { Row } from '../runtime/table.ts';

const kept = /^(id|name|roles|dependencies)$|(Id|Name)$/;

/** What of a row is kept for a while: ids, names, roles and dependencies, and nothing else of anybody. */
export function reduced(row: unknown): Row {
  if (typeof row !== 'object' || row === null) return {};
  const entries = Object.entries(row).filter(([key, value]) => kept.test(key) && isShort(value));
  return Object.fromEntries(entries.map(([key, value]) => [key, Array.isArray(value) ? value.map(nameOf) : value]));
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= 256 : Array.isArray(value) && value.length <= 100;
}

/** The rows as candidates for a value of this name; `isOwn` where they are a list of just what the value names. */
export function candidatesOf(rows: readonly Row[], name: string, isOwn: boolean): Candidate[] {
  return rows.flatMap((row) => {
    const property = propertyOf(row, name, isOwn);
    return property === undefined ? [] : candidatesIn(row, property);
  });
}

function propertyOf(row: Row, name: string, isOwn: boolean): string | undefined {
  const property = camel(name);
  if (property in row) return property;
  if (!isOwn) return undefined;
  const usual = name.endsWith('-id') ? ['id'] : ['groupName', 'name'];
  return usual.find((one) => one in row) ?? Object.keys(row).find((one) => row[one] === nameOf(row));
}

/** `user-id` as rows have it: `userId`. */
function camel(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The value of a property; each of them where it has several. */
export function candidatesIn(row: Row, property: string): Candidate[] {
  const value = row[property];
  if (Array.isArray(value)) return value.map((one) => ({ value: String(one) }));
  return typeof value === 'string' ? [{ value, text: describe(row, property) }] : [];
}

/** A name says more than roles, and those more than an id. */
function describe(row: Row, property: string): string {
  const others = Object.keys(row).filter((key) => key !== property && cell(row[key]) !== '');
  const best =
    others.find((key) => /^name$|Name$/.test(key)) ??
    others.find((key) => key === 'roles') ??
    others.find((key) => /Id$/.test(key));
  return best === undefined ? '' : cell(row[best]);
}
