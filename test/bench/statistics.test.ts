import { expect, test } from 'vitest';
import { median, percentile } from '../../bench/statistics.ts';

test('the median is the middle value, or the mean of the two middle values', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([100, 1, 10, 2])).toBe(6);
  expect(median([])).toBeNaN();
});

test('a percentile is a measured value', () => {
  const values = [40, 10, 30, 20];
  expect([25, 50, 99, 100].map((percent) => percentile(values, percent))).toEqual([10, 20, 40, 40]);
});
