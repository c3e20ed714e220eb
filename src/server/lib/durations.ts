/** Parses durations such as 90s, 10m, 1h30m, 7d, -1s. */

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Up to 9 digits, so that the sum stays exact. */
const durationPattern = /^[+-]?(\d{1,9}(ms|s|m|h|d|w))+$/;

/** Parses a duration. @returns milliseconds, negative after a minus sign; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64 || !durationPattern.test(text)) return undefined;
  let sum = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)([a-z]+)/g))
    sum += Number(count) * (millisecondsPerUnit[unit] ?? 0);
  return text.startsWith('-') ? -sum : sum;
}
