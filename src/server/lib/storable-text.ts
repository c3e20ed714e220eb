/**
 * Text that every store can contain: without U+0000, which PostgreSQL does not accept, and without lone surrogates, which
 * UTF-8 cannot encode. Both are allowed in JSON.
 */

const loneSurrogate = /\p{Surrogate}/u;

export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && !loneSurrogate.test(text);
}

/** JSON text without these escapes contains only storable text. */
const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Returns the path of the first text in a JSON value, or name of a member, that a store cannot contain.
 * @param text the JSON text of the value
 */
export function findUnstorableText(value: unknown, text: string): readonly PropertyKey[] | undefined {
  return suspiciousEscape.test(text) ? findIn(value, []) : undefined;
}

function findIn(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const at = Array.isArray(value) ? Number(key) : key;
    const found = isStorableText(key) ? findIn(part, [...path, at]) : path;
    if (found) return found;
  }
  return undefined;
}
