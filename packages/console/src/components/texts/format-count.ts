/** Numbers with what they count: "1 attempt", "2,000 members". */

/** @param many default: `one` with an "s" */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
