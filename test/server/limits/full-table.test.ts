/** What a full table of counters does to callers that have nothing to do with it. */
import { expect, test } from 'vitest';
import { limits, maxCounters } from '../../../src/server/limits/table.ts';
import { isFullRun } from '../../effort.ts';
import { createThrottleHarness } from './throttle-harness.ts';

/** Of the size of the service in a full run. */
const capacity = isFullRun ? maxCounters : maxCounters / 10;

test('sources fill the table of failed logins, then an unrelated user signs in at the first try', async () => {
  const { fail, succeed, wait } = createThrottleHarness(capacity);
  expect(maxCounters / limits.failingNamesPerSource.max).toBe(100);
  const sources = capacity / limits.failingNamesPerSource.max;
  const names = Array.from({ length: limits.failingNamesPerSource.max }, (_, number) => `name ${number}`);
  for (let source = 0; source < sources; source += 1)
    for (const name of names) await fail(1, { name: `${name} of ${source}`, caller: `198.51.100.${source}` });
  expect(await wait({ name: 'another', caller: '198.51.100.1' })).toBe(0);
  await succeed({ name: 'unrelated', caller: '203.0.113.1' });
  await fail(9, { name: 'unrelated', caller: '203.0.113.2' });
  expect(await wait({ name: 'unrelated', caller: '203.0.113.2' })).toBe(0);
  await fail(1, { name: 'unrelated', caller: '203.0.113.3' });
  expect(await wait({ name: 'unrelated', caller: '203.0.113.2' })).toBeGreaterThan(0);
  // Known sources have counters of their own, and active ones are not evicted.
  await succeed({ name: 'unrelated', caller: '203.0.113.4', isKnown: true });
  await fail(9, { name: 'name 7 of 7', caller: '198.51.100.7' });
  expect(await wait({ name: 'name 7 of 7', caller: '198.51.100.7' })).toBe(30);
});
