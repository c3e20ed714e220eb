/** Names in a sentence: the first of them, and how many follow. */

/** @param total how many there are, also those that are not among the names */
export function formatNames(names: readonly string[], total: number, max = 5): string {
  if (total === 0) return 'none';
  const first = names.slice(0, max);
  const others = total - first.length;
  return others > 0 ? `${first.join(', ')} and ${others} more` : first.join(', ');
}
