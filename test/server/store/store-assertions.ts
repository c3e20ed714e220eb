/** What a test expects of a store in which something was broken. */
import { expect } from 'vitest';
import { snapshot } from './damaged-store.ts';
import { countCommits } from './history.ts';
import type { StoreHarness } from './store-harness.ts';

export async function expectOpens(bench: StoreHarness, commits: number): Promise<void> {
  const store = await bench.open();
  expect(await countCommits(store)).toBe(commits);
  await store.close();
}

/** Refused with a reason, and every file still as it was. */
export async function expectRefused(bench: StoreHarness, expected: Record<string, unknown>): Promise<void> {
  const before = await snapshot(bench);
  const error = await bench.refusal();
  expect(error).toMatchObject(expected);
  expect(error.message).not.toContain('\n');
  expect(await snapshot(bench)).toEqual(before);
}
