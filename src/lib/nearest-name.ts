/** Finds the name that a mistyped one probably means. */

/** The time to compare names grows with their length. */
const maxComparedLength = 64;

/** The candidate with the smallest edit distance, if small enough for a typing error; none for a longer word than any name. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > maxComparedLength) return undefined;
  const ranked = candidates
    .map((candidate) => ({ candidate, far: levenshteinDistance(word, candidate) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best && best.far <= Math.max(2, word.length / 3) ? best.candidate : undefined;
}

/** Longer lists are documentation, and not a hint. */
const maxListed = 20;

/** A sentence after an error about an unknown name: the nearest one, or all of a short list. */
export function suggestName(name: string, names: readonly string[]): string {
  const near = findNearest(name, names);
  if (near !== undefined) return ` Did you mean ${near}?`;
  return names.length === 0 || names.length > maxListed ? '' : ` Accepted: ${names.join(', ')}.`;
}

/** Levenshtein distance, computed row by row. */
function levenshteinDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
