import { expect, test } from 'vitest';
import { median } from '../../bench/statistics.ts';

test('the median is the middle value, or the mean of the two middle values', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([100, 1, 10, 2])).toBe(6);
  expect(median([])).toBeNaN();
});
