/** Names in a sentence: the first of them, and how many follow. */
const shown = 5;

/** @param total how many there are, also those that are not among the names */
export function formatNames(names: readonly string[], total: number): string {
  if (total === 0) return 'none';
  const first = names.slice(0, shown);
  const others = total - first.length;
  return others > 0 ? `${first.join(', ')} and ${others} more` : first.join(', ');
}
