/**
 * Reads fields of JSON as Keycloak does: null is absent, numbers are texts where a text is expected, texts are true or
 * false where a flag is. Values of other types are absent: what is wrong in one field leaves the others.
 */

import type { ImportReport } from '../report.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of a number, if JSON keeps its digits: the id of a person at an identity provider can be longer. */
export function toText(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** As Keycloak and other languages write them. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1'].map((text) => [text, true] as const),
  ...['false', 'no', 'off', '0'].map((text) => [text, false] as const),
]);

/** A flag, also as text such as `False`; undefined for an absent one, and for what is none. */
export function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : flags.get(toText(value)?.trim().toLowerCase() ?? '');
}

export function toFlag(value: unknown, absent: boolean): boolean {
  return readFlag(value) ?? absent;
}

/** Reports flags whose value is none: what they decide can differ. */
export function reportUnreadableFlags(
  fields: Fields,
  names: readonly string[],
  owner: string,
  report: ImportReport,
): void {
  for (const name of names)
    if (!isAbsent(fields[name]) && readFlag(fields[name]) === undefined)
      report.changeLogin('flags', `${name} of ${owner}`, 'is neither true nor false: check what the seed has');
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** The distinct texts of a list. */
export function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.flatMap((one) => toText(one) ?? []))] : [];
}

export function toObjects(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function toTextsByName(value: unknown): ReadonlyMap<string, readonly string[]> {
  return new Map(isFields(value) ? Object.entries(value).map(([name, list]) => [name, toTexts(list)]) : []);
}

/** Without members that are null. */
export function withoutNulls(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
