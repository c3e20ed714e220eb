import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { repeatWork } from './repeated-work.ts';
import { group, idsOf } from './rows.ts';

test('runs work twice and keeps the second run only', async () => {
  const store = repeatWork(openMemoryStore());
  let runs = 0;
  const result = await store.transaction(async ({ groups }) => {
    runs += 1;
    await groups.insert(group(`run-${runs}`));
    return runs;
  });
  expect(result).toBe(2);
  expect(await idsOf(store.groups.list())).toEqual(['run-2']);
});

test('passes the error of the second run on', async () => {
  const store = repeatWork(openMemoryStore());
  let runs = 0;
  const work = store.transaction(async () => {
    runs += 1;
    throw new Error(`run ${runs}`);
  });
  await expect(work).rejects.toThrow('run 2');
});
