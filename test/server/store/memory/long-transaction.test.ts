/** Transactions that access many rows run beside others, and still are as if alone. */
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../../../src/server/store/memory/memory-store.ts';
import type { Store, Transaction } from '../../../../src/server/store/store.ts';
import type { Group } from '../../../../src/server/store/tables.ts';
import { createSeededRandom } from '../random.ts';
import { group, member } from '../rows.ts';
import { StoreHarness } from '../store-harness.ts';

const manyKeys = Array.from({ length: 3_000 }, (_, number) => `unknown-${number}`);

/** Accesses so many rows of a table without rows that the transaction is a long one. */
const accessMany = (tx: Transaction) => tx.corporateGroups.getMany(manyKeys);

interface Gate {
  readonly arrived: Promise<void>;
  readonly opened: Promise<void>;
  arrive(): void;
  open(): void;
}

function createGate(): Gate {
  const [first, second] = [createSignal(), createSignal()];
  return { arrived: first.promise, arrive: first.give, opened: second.promise, open: second.give };
}

function createSignal() {
  let give = () => {};
  const promise = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { promise, give };
}

const put = (store: Store, row: Group) =>
  store.transaction(async ({ groups }) => ((await groups.get(row.groupId)) ? groups.replace(row) : groups.insert(row)));

async function open(...rows: Group[]): Promise<Store> {
  const store = openMemoryStore();
  await store.transaction(async ({ groups }) => {
    for (const row of rows) await groups.insert(row);
  });
  return store;
}

const idsOf = async (store: Store) => (await store.groups.list()).map(({ groupId }) => groupId);

/** Runs long work that reads, then waits while `change` commits, and returns the number of its runs. */
async function countRuns(
  store: Store,
  read: (tx: Transaction) => Promise<unknown>,
  change: (store: Store) => Promise<unknown>,
): Promise<number> {
  const gate = createGate();
  let runs = 0;
  const long = store.transaction(async (tx) => {
    await accessMany(tx);
    runs += 1;
    await read(tx);
    gate.arrive();
    await gate.opened;
    await tx.groups.insert(group(`written-in-run-${runs}`));
  });
  await gate.arrived;
  await change(store);
  gate.open();
  await long;
  expect(await store.groups.get(`written-in-run-${runs}`)).toBeDefined();
  expect((await idsOf(store)).filter((id) => id.startsWith('written'))).toHaveLength(1);
  return runs;
}

const row = group('a', { groupName: 'one', roles: ['x'], dependencies: ['b'] });

describe('a long transaction', () => {
  test('lets others commit while it runs, and its writes are visible to no other before its own commit', async () => {
    const store = await open(row);
    const gate = createGate();
    const long = store.transaction(async (tx) => {
      await accessMany(tx);
      await tx.groups.insert(group('long'));
      gate.arrive();
      await gate.opened;
    });
    await gate.arrived;
    await put(store, group('other'));
    expect(await store.transaction((tx) => tx.groups.get('long'))).toBeUndefined();
    expect(await idsOf(store)).toEqual(['a', 'other']);
    gate.open();
    await long;
    expect(await idsOf(store)).toEqual(['a', 'long', 'other']);
  });

  const reads: [string, (tx: Transaction) => Promise<unknown>, (store: Store) => Promise<unknown>][] = [
    ['a row that is changed', (tx) => tx.groups.get('a'), (store) => put(store, { ...row, roles: ['y'] })],
    [
      'a row that is deleted',
      (tx) => tx.groups.getMany(['a']),
      (store) => store.transaction((tx) => tx.groups.delete('a')),
    ],
    ['a missing row that is added', (tx) => tx.groups.get('b'), (store) => put(store, group('b'))],
    ['the missing row of a write', (tx) => tx.groups.delete('b'), (store) => put(store, group('b'))],
    [
      'a free unique value',
      (tx) => tx.groups.getBy('groupName', 'two'),
      (store) => put(store, group('b', { groupName: 'two' })),
    ],
    [
      'the free unique value of a write',
      (tx) => tx.groups.insert(group('c', { groupName: 'two' })),
      async (store) => {
        await put(store, group('b', { groupName: 'two' }));
        await put(store, group('b', { groupName: 'three' }));
      },
    ],
    [
      'a unique value',
      (tx) => tx.groups.getBy('groupName', 'one'),
      (store) => put(store, { ...row, groupName: 'two' }),
    ],
    ['an index that gets a row', (tx) => tx.groups.find('role', 'y'), (store) => put(store, { ...row, roles: ['y'] })],
    ['an index that loses a row', (tx) => tx.groups.find('role', 'x'), (store) => put(store, { ...row, roles: [] })],
    [
      'several values of an index',
      (tx) => tx.groups.findMany('role', ['u', 'v']),
      (store) => put(store, group('b', { roles: ['v'] })),
    ],
    ['a walk', (tx) => tx.groups.reach('dependency', ['a']), (store) => put(store, group('b'))],
    [
      'a walk backwards',
      (tx) => tx.groups.findReaching('dependency', 'role', 'z'),
      (store) => put(store, group('b', { roles: ['z'] })),
    ],
    ['linked rows', (tx) => tx.groups.getLinked('dependency', 'a'), (store) => put(store, group('b'))],
    ['all rows', (tx) => tx.groups.list({ limit: 1 }), (store) => put(store, group('b'))],
    ['their number', (tx) => tx.groups.count(), (store) => put(store, group('b'))],
  ];
  test.each(reads)('runs again after a commit of another that changes %s', async (_, read, change) => {
    expect(await countRuns(await open(row), read, change)).toBe(2);
  });

  test('does not run again for what it has not read', async () => {
    const change = async (store: Store) => {
      await put(store, group('b', { roles: ['y'] }));
      await put(store, group('b', { roles: ['z'] }));
      await store.transaction(({ memberships }) => memberships.insert(member('a', 'user')));
    };
    const read = async (tx: Transaction) => [await tx.groups.get('a'), await tx.groups.find('role', 'x')];
    expect(await countRuns(await open(row), read, change)).toBe(1);
  });

  test('does not report an error that another transaction has made obsolete', async () => {
    const store = await open(row);
    const gate = createGate();
    const long = store.transaction(async (tx) => {
      await accessMany(tx);
      const isMissing = (await tx.groups.get('b')) === undefined;
      gate.arrive();
      await gate.opened;
      if (isMissing) throw new Error('missing');
    });
    await gate.arrived;
    await put(store, group('b'));
    gate.open();
    await long;
    await expect(
      store.transaction(async (tx) => {
        await accessMany(tx);
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
  });

  test('that others make run again and again excludes them at last', async () => {
    const store = await open(row);
    let runs = 0;
    let changes = 0;
    const changed: Promise<void>[] = [];
    await store.transaction(async (tx) => {
      await accessMany(tx);
      runs += 1;
      await tx.groups.get('a');
      changes += 1;
      const change = put(store, { ...row, roles: [`change-${changes}`] });
      changed.push(change);
      if (runs < 4) await change;
      else for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
      await tx.groups.insert(group(`roles-${(await tx.groups.get('a'))?.roles}`));
    });
    await Promise.all(changed);
    expect(runs).toBe(4);
    expect(await idsOf(store)).toEqual(['a', 'roles-change-3']);
    expect((await store.groups.get('a'))?.roles).toEqual(['change-4']);
  });

  test('commits what it started before the store is closed', async () => {
    const store = await open();
    const long = store.transaction(async (tx) => {
      await accessMany(tx);
      await tx.groups.insert(group('long'));
    });
    await Promise.all([long, store.close()]);
    expect(await idsOf(store)).toEqual(['long']);
  });

  test('preserves a sum that others move between rows', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `row-${number}`);
    const amounts = (rows: readonly Group[]) => rows.reduce((sum, { roles }) => sum + roles.length, 0);
    const units = Array.from({ length: 10 }, (_, number) => `unit-${number}`);
    const store = await open(...names.map((name) => group(name, { roles: units })));
    let isDone = false;
    const move = async (from: number, to: number) => {
      await store.transaction(async ({ groups }) => {
        const [one, other] = [await groups.get(`row-${from}`), await groups.get(`row-${to}`)];
        if (!one || !other || one.roles.length === 0) return;
        await groups.replace({ ...one, roles: one.roles.slice(1) });
        await groups.replace({ ...other, roles: [...other.roles, 'moved'] });
      });
    };
    const moves = (async () => {
      for (let count = 0; !isDone; count += 1) {
        const from = count % names.length;
        const to = (count * 7 + 3) % names.length;
        if (from !== to) await move(from, to);
        await new Promise(setImmediate);
      }
    })();
    for (let round = 0; round < 10; round += 1) {
      const sum = await store.transaction(async (tx) => {
        let seen = 0;
        for (const name of names) {
          const one = await tx.groups.get(name);
          if (one) seen += amounts([one]);
          await tx.corporateGroups.getMany(manyKeys.slice(0, 200));
        }
        return seen;
      });
      expect(sum).toBe(200);
    }
    isDone = true;
    await moves;
  });
});

describe('long and short transactions together', () => {
  const names = Array.from({ length: 6 }, (_, number) => `counter-${number}`);

  /** Adds one to some counters, and a row of a role if it has fewer than three: what both have read must still be true. */
  async function work(tx: Transaction, random: () => number, isLong: boolean): Promise<string[]> {
    const access = () => (isLong ? tx.corporateGroups.getMany(manyKeys.slice(0, 900)) : tx.corporateGroups.get('none'));
    const counted: string[] = [];
    for (const name of names.filter(() => random() < 0.4)) {
      const [row] = random() < 0.5 ? await tx.groups.getMany([name]) : await tx.groups.findMany('groupName', [name]);
      await access();
      await tx.groups.replace({ ...(row as Group), organizationId: String(Number(row?.organizationId) + 1) });
      counted.push(name);
    }
    const role = `role-${Math.floor(random() * 4)}`;
    const rows =
      random() < 0.5 ? await tx.groups.find('role', role) : await tx.groups.findReaching('dependency', 'role', role);
    await access();
    const oldest = rows[0];
    if (rows.length < 3) await tx.groups.insert(group(`${role}-${random()}`, { roles: [role] }));
    else if (oldest) await tx.groups.delete(oldest.groupId);
    await access();
    return counted;
  }

  test.each([1, 2, 3, 4])('lose no update and see no phantom, seed %i', async (seed) => {
    const random = createSeededRandom(seed);
    const harness = new StoreHarness();
    const store = await harness.open();
    await store.transaction(async ({ groups }) => {
      for (const name of names) await groups.insert(group(name, { groupName: name, organizationId: '0' }));
    });
    const counts = new Map(names.map((name) => [name, 0]));
    const worker = async () => {
      for (let round = 0; round < 15; round += 1) {
        const isLong = random() < 0.3;
        for (const name of await store.transaction((tx) => work(tx, random, isLong)))
          counts.set(name, (counts.get(name) ?? 0) + 1);
        const roles = new Map<string, number>();
        for (const row of await store.groups.list())
          for (const role of row.roles) roles.set(role, (roles.get(role) ?? 0) + 1);
        expect(Math.max(0, ...roles.values())).toBeLessThanOrEqual(3);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const expectCounts = async (reader: Store) =>
      expect(
        new Map(
          await Promise.all(
            names.map(async (name) => [name, Number((await reader.groups.get(name))?.organizationId)] as const),
          ),
        ),
      ).toEqual(counts);
    await expectCounts(store);
    harness.crash('everything');
    await expectCounts(await harness.open());
  });
});

describe('a long replacement of all rows', () => {
  const target = Array.from({ length: 2_500 }, (_, number) =>
    group(`g-${String(number).padStart(4, '0')}`, { groupName: `name ${number}` }),
  );

  test('keeps out what others commit meanwhile, without running again, also after a crash', async () => {
    const harness = new StoreHarness();
    const store = await harness.open();
    const before = [
      group('old', { groupName: 'name 1' }),
      group('g-0001', { groupName: 'before' }),
      ...target.slice(2, 9),
    ];
    await store.transaction(({ groups }) =>
      groups.replaceAll([...before].sort((a, b) => (a.groupId < b.groupId ? -1 : 1))),
    );
    const gate = createGate();
    let runs = 0;
    const long = store.transaction(async (tx) => {
      await tx.groups.replaceAll(target);
      runs += 1;
      gate.arrive();
      await gate.opened;
    });
    await gate.arrived;
    await put(store, group('g-0000', { groupName: 'of another' }));
    await put(store, group('new', { groupName: 'name 20' }));
    await put(store, group('g-0005', { groupName: 'changed' }));
    await store.transaction(({ groups }) => groups.delete('g-0006'));
    await store.transaction(({ groups }) => groups.delete('old'));
    await put(store, group('old', { groupName: 'again' }));
    gate.open();
    // The rest arrives while the commit is prepared.
    const late = put(store, group('later', { groupName: 'late' })).then(() =>
      put(store, { ...target[7], roles: ['late'] } as Group),
    );
    await Promise.all([long, late.catch(() => {})]);
    expect(runs).toBe(1);
    const isLate = ({ groupId, roles }: Group) => groupId === 'later' || roles.includes('late');
    const rows = (await store.groups.list()).filter((one) => !isLate(one));
    expect(rows).toEqual(target.filter(({ groupId }) => rows.some((one) => one.groupId === groupId)));
    expect(rows.length).toBeGreaterThanOrEqual(target.length - 1);
    const all = await store.groups.list();
    harness.crash('everything');
    expect(await (await harness.open()).groups.list()).toEqual(all);
  });

  test.each([
    ['key', [...target, target.at(-1) as Group]],
    ['groupName', [...target, group('zzz', { groupName: 'name 0' })]],
  ])('rejects two rows with one %s, and changes nothing', async (constraint, rows) => {
    const store = await open(group('a'));
    await expect(store.transaction(({ groups }) => groups.replaceAll(rows))).rejects.toMatchObject({ constraint });
    expect(await idsOf(store)).toEqual(['a']);
  });
});
