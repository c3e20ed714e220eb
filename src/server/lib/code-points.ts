/** The order of texts by code point, which is also that of their bytes in UTF-8 and of PostgreSQL's collation "C". */

const firstSurrogate = 0xd800;
const firstAfterSurrogates = 0xe000;

/** Whether `one` comes before `other`. The operators of JavaScript compare UTF-16 units, in which U+10000 precedes U+E000. */
export function precedes(one: string, other: string): boolean {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === end) return one.length < other.length;
  return toCodePointOrder(one.charCodeAt(at)) < toCodePointOrder(other.charCodeAt(at));
}

/** Moves surrogates, which encode the highest code points, behind all other units. */
function toCodePointOrder(unit: number): number {
  if (unit < firstSurrogate) return unit;
  return unit < firstAfterSurrogates ? unit + 0x10000 : unit;
}
