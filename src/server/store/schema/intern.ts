/**
 * Interns strings that many rows share, such as role names. A group of 400 roles is then a list of references, which
 * keeps garbage collection pauses short.
 */

/** The table is cleared at this size, which also drops unused strings. */
const maxInterned = 10_000;

const interned = new Map<string, string>();

/** Returns the shared instance of a string. */
export function internString(text: string): string {
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size >= maxInterned) interned.clear();
  interned.set(text, text);
  return text;
}
