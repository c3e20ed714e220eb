/**
 * Texts that many rows hold, such as names of roles: each kept once, however many rows name it. A group of 400 roles is
 * then a list of references; as 400 texts of its own it took longer to be moved by the collector of garbage than to be
 * made, and calls waited for that.
 */

/** Names that nobody uses any more are forgotten with all others, when there are so many. */
const mostKept = 10_000;

const kept = new Map<string, string>();

/** The same text, as it came first. */
export function sharedText(text: string): string {
  const known = kept.get(text);
  if (known !== undefined) return known;
  if (kept.size >= mostKept) kept.clear();
  kept.set(text, text);
  return text;
}
