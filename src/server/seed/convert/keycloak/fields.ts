/**
 * Reads fields of JSON as Keycloak does: null is absent, numbers are texts where a text is expected, texts are true or
 * false where a flag is. Values of other types are absent: what is wrong in one field leaves the others.
 */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function toFlag(value: unknown, absent: boolean): boolean {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : absent;
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

/** Whether a text stands for a secret that the file does not contain: a mask, or a variable that Keycloak replaces at a start. */
export function isPlaceholder(text: string): boolean {
  return /^\*+$|\$\{[^}]*\}|\$\([^)]*\)/.test(text);
}
