import { expect, test } from 'vitest';
import { effort, isFullRun, parseEffort, rounds } from './effort.ts';

test('the effort is 1 unless it is set', () => {
  expect(parseEffort(undefined)).toBe(1);
  expect(parseEffort('10')).toBe(10);
  expect(parseEffort('100')).toBe(100);
});

test.each(['', '0', '101', '-1', '1.5', '1e1', ' 1', 'full'])('rejects the effort "%s"', (text) => {
  expect(() => parseEffort(text)).toThrow('IAM_TEST_EFFORT must be a whole number from 1 to 100');
});

test('rounds follow the effort and never drop to none', () => {
  expect(rounds(200)).toBe(20 * effort);
  expect(rounds(1)).toBe(Math.max(1, Math.round(effort / 10)));
  expect(isFullRun).toBe(effort >= 10);
});
