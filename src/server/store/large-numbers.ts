/** Finds numbers that no server writes, in an import or a backup: later requests compute times with them, and would fail. */

/** Epoch seconds, with room for the lifetimes that are added: a `Date` ends at 8.64e12 (ECMA-262, 21.4.1.1). */
export const maxNumber = 8e12;

/** The first field of a row that contains a number beyond `maxNumber`. */
export function findLargeNumber(row: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(row).find((key) => hasLargeNumber(row[key]));
}

function hasLargeNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > maxNumber;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLargeNumber);
}
