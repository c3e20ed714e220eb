/** Runs after all tests: verifies that some test received each documented status over HTTP, injected errors aside. */
import process from 'node:process';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/server/operations/index.ts';
import { folderVariable, readStatuses } from './recorded-statuses.ts';

/** The interface documents it for the last administrator, and services do not count as administrators. */
const unreachable = ['service-accesses.remove-service 412'];

test('the tests cover every documented status of every operation', () => {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} must name the folder that the tests have written to`);
  const recorded = readStatuses(folder);
  const registry: readonly Operation<never>[] = Object.values(operations);
  const missing = registry.flatMap(({ id, statuses }) =>
    statuses.map((status) => `${id} ${status}`).filter((line) => !recorded.has(line)),
  );
  expect(missing).toEqual(unreachable);
});
