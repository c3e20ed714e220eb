/** Runs after all tests: each status that the interface documents was answered by some test, through the front door. */
import process from 'node:process';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/server/operations/index.ts';
import { folderVariable, readStatuses } from './recorded-statuses.ts';

test('every documented status of every operation was answered', () => {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} names the folder that the tests have written to`);
  const seen = readStatuses(folder);
  const registry: readonly Operation<never>[] = Object.values(operations);
  const unseen = registry.flatMap(({ id, statuses }) =>
    statuses.map((status) => `${id} ${status}`).filter((line) => !seen.has(line)),
  );
  expect(unseen).toEqual([]);
});
