import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { overrideTables } from '../../../src/server/store/overrides.ts';
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
    let made = 0;
    const overridden = overrideTables(tx, {
      counters: (table) => {
        made += 1;
        return Object.assign(Object.create(table), { count: async () => 42 });
      },
      logons: () => {
        throw new Error('made without a use');
      },
    });
    expect(made).toBe(0);
    await overridden.counters.insert({ name: 'customers', last: 1 });
    await overridden.subjects.insert({ subject: 'a', kind: 'user', ownerId: 'a' });
    expect(await overridden.counters.count()).toBe(42);
    expect(made).toBe(1);
    expect(await tx.counters.count()).toBe(1);
    expect(await tx.subjects.count()).toBe(1);
  });
});
