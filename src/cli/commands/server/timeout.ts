/** The value of --wait. */
import { usageError } from '../../errors.ts';

/** Returns milliseconds. @param fallback seconds, if no value was typed @throws CliError */
export function parseTimeout(value: unknown, fallback = 0): number {
  const text = value === undefined || value === true ? String(fallback) : String(value);
  const [, seconds] = /^(\d{1,5}(?:\.\d+)?)s?$/.exec(text) ?? [];
  if (seconds === undefined || Number(seconds) === 0)
    throw usageError('--wait must be a number of seconds, such as 10s.');
  return Number(seconds) * 1000;
}
