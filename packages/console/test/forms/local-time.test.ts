/** The reader's time beside UTC. */
import { expect, test } from 'vitest';
import { formatLocalTime } from '../../src/components/texts/local-time.ts';

test('the local time has a date only where it is another one, and is missing in UTC', () => {
  const at = '2026-11-29T23:30:05.000Z';
  expect(formatLocalTime(at, 0)).toBeUndefined();
  expect(formatLocalTime(at, 240)).toBe('19:30:05 local');
  expect(formatLocalTime(at, -60)).toBe('2026-11-30 00:30:05 local');
});
