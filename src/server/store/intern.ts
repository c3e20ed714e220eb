/**
 * Texts that many rows hold, such as names of roles: each kept once, however many rows name it. A group of 400 roles is
 * then a list of references; as 400 texts of its own it took longer to be moved by the collector of garbage than to be
 * made, and calls waited for that.
 */

/** Names that nobody uses any more are forgotten with all others, when there are so many. */
const maxInterned = 10_000;

const interned = new Map<string, string>();

/** The same text, as it came first. */
export function internString(text: string): string {
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size >= maxInterned) interned.clear();
  interned.set(text, text);
  return text;
}
