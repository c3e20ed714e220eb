import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { overrideTables } from '../../../src/server/store/store.ts';
import { tableNames } from '../../../src/server/store/table-shape.ts';

test('a transaction has all tables, each one with the rows of its own table', async () => {
  await openMemoryStore().transaction(async (tx) => {
    await tx.counters.insert({ name: 'customers', last: 1 });
    const counts = await Promise.all(tableNames.map((name) => tx[name].count()));
    expect(tableNames.filter((_, position) => counts[position] !== 0)).toEqual(['counters']);
  });
});

test('overrides some tables of a transaction and retains the others', async () => {
  const store = openMemoryStore();
  await store.transaction(async (tx) => {
    const overridden = overrideTables(tx, {
      counters: (table) => Object.assign(Object.create(table), { count: async () => 42 }),
    });
    await overridden.counters.insert({ name: 'customers', last: 1 });
    await overridden.logons.insert({ logon: 'A1' });
    expect(await overridden.counters.count()).toBe(42);
    expect(await overridden.logons.count()).toBe(1);
    expect(await tx.counters.count()).toBe(1);
  });
  expect(await store.logons.get('A1')).toEqual({ logon: 'A1' });
});
