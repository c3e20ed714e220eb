/** Assertions for damaged stores. */
import { expect } from 'vitest';
import { snapshot } from './damaged-store.ts';
import { countCommits } from './history.ts';
import type { StoreHarness } from './store-harness.ts';

export async function expectOpens(harness: StoreHarness, commits: number): Promise<void> {
  const store = await harness.open();
  expect(await countCommits(store)).toBe(commits);
  await store.close();
}

/** Asserts that opening fails with this error and changes no file. */
export async function expectOpenError(harness: StoreHarness, expected: Record<string, unknown>): Promise<void> {
  const before = await snapshot(harness);
  const error = await harness.catchOpenError();
  expect(error).toMatchObject(expected);
  expect(error.message).not.toContain('\n');
  expect(await snapshot(harness)).toEqual(before);
}
