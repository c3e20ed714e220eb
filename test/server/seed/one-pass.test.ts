/** A seed is checked as a whole: what it reads and writes grows with its length, not with the square. */
import { describe, expect, test } from 'vitest';
import { formatPath } from '../../../src/contract/errors.ts';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { SeedError } from '../../../src/server/seed/error.ts';
import { SeedDocument } from '../../../src/server/seed/schema.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store, Transaction } from '../../../src/server/store/store.ts';
import { createFakeClock } from '../../harness.ts';

/** The number of values in a row or a result: an element counts as one, with its own elements. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + countValues(one), 1);
}

const writes = ['insert', 'replace', 'delete'];

interface Counted {
  readonly store: Store;
  values(): number;
  groupReads(): number;
}

/** Counts what each access to a table passes and returns, and the reads of groups. */
function countAccesses(store: Store): Counted {
  let [values, groupReads] = [0, 0];
  const watch = (table: object, tableName: PropertyKey) =>
    new Proxy(table, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...parameters: unknown[]) => {
          const result: unknown = await Reflect.apply(member, target, parameters);
          values += countValues(parameters) + countValues(result);
          if (tableName === 'groups' && !writes.includes(String(name))) groupReads += 1;
          return result;
        };
      },
    });
  const watchAll = (tx: Transaction) =>
    new Proxy(tx, {
      get: (target, name) => {
        const table: unknown = Reflect.get(target, name);
        // A promise looks for `then`.
        return typeof table === 'object' && table !== null ? watch(table, name) : table;
      },
    });
  return {
    store: {
      ...store,
      transaction: (work) =>
        store.transaction((tx) => {
          // Of the last run, as the engine may run the work again.
          [values, groupReads] = [0, 0];
          return work(watchAll(tx));
        }),
    },
    values: () => values,
    groupReads: () => groupReads,
  };
}

async function apply(seed: unknown, store: Store = openMemoryStore()): Promise<Store> {
  const clock = createFakeClock();
  const ids = createIds(clock, systemRandom);
  await applySeed(SeedDocument.parse(seed), { store, clock, ids, hash: async () => 'hash' });
  return store;
}

async function measure(seed: unknown, times = 1): Promise<Counted> {
  const counted = countAccesses(openMemoryStore());
  for (let time = 0; time < times; time += 1) await apply(seed, counted.store);
  return counted;
}

const range = (length: number) => Array.from({ length }, (_, at) => at);

/** Each group depends on the next, so that the first reaches all of them. */
const chain = (length: number) => ({
  groups: range(length).map((at) => ({
    groupName: `group-${at}`,
    roles: [`ROLE-${at}`],
    dependencies: at + 1 < length ? [{ groupName: `group-${at + 1}` }] : [],
  })),
});

const business = (at: number) => ({ businessId: `business-${at}`, businessName: `Business ${at}` });

const seeds: [string, (length: number) => unknown][] = [
  ['a chain of groups', chain],
  ['a chain of groups, the last first', (length) => ({ groups: chain(length).groups.reverse() })],
  [
    'members of a group',
    (length) => ({
      users: range(length).map((at) => ({ userId: `user-${at}` })),
      groups: [{ groupName: 'all', users: range(length).map((at) => `user-${at}`) }],
    }),
  ],
  [
    'businesses of a corporate group',
    (length) => ({
      businesses: range(length).map(business),
      corporateGroups: [{ corporateGroupName: 'all', businesses: range(length).map((at) => `business-${at}`) }],
    }),
  ],
  [
    'businesses that name their corporate group',
    (length) => ({
      businesses: range(length).map((at) => ({ ...business(at), corporateGroupName: 'all' })),
      corporateGroups: [{ corporateGroupName: 'all' }],
    }),
  ],
];

describe('the accesses of a seed grow with', () => {
  test.each(seeds)('%s', async (_, createSeed) => {
    const [short, long] = [await measure(createSeed(100)), await measure(createSeed(400))];
    expect(long.values() / short.values()).toBeLessThan(4.4);
  });
});

test.each([1, 2])('groups are read together, whatever their number: applied %i times', async (times) => {
  const [short, long] = [await measure(chain(10), times), await measure(chain(500), times)];
  expect(long.groupReads()).toBe(short.groupReads());
  expect(long.groupReads()).toBeLessThan(10);
});

describe('an entry for what another one describes', () => {
  test.each<readonly [string, object, string]>([
    ['a user with its id', { users: [{ userId: 'u' }, { userId: 'u', userName: 'b' }] }, 'users[1].userId'],
    ['a user with its name', { users: [{ userName: 'a' }, { userName: 'A', locked: true }] }, 'users[1].userName'],
    ['a user with its id as name', { users: [{ userId: 'u' }, { userName: 'u' }] }, 'users[1].userName'],
    ['a user with its name in NFD', { users: [{ userName: '\u00e9' }, { userName: 'e\u0301' }] }, 'users[1].userName'],
    ['a client', { clients: [{ clientId: 'c' }, { clientId: 'c', scope: ['READ'] }] }, 'clients[1].clientId'],
    ['a group', { groups: [{ groupName: 'a', roles: ['ONE'] }, { groupName: 'a' }] }, 'groups[1].groupName'],
    ['a group in NFD', { groups: [{ groupName: '\u00e9' }, { groupName: 'e\u0301' }] }, 'groups[1].groupName'],
    [
      'a business',
      {
        businesses: [
          { businessId: 'b', businessName: 'B' },
          { businessId: 'b', businessName: 'C' },
        ],
      },
      'businesses[1].businessId',
    ],
    [
      'a corporate group',
      { corporateGroups: [{ corporateGroupName: 'g' }, { corporateGroupName: 'g', organizationId: 'o' }] },
      'corporateGroups[1].corporateGroupName',
    ],
    ['a logon', { mainframe: [{ logon: 'ABC' }, { logon: 'abc' }] }, 'mainframe[1].logon'],
    [
      'a product',
      {
        products: [
          { productAlias: 'p', sku: '1' },
          { productAlias: 'p', sku: '1', billingTypes: ['PREPAID'] },
        ],
      },
      'products[1].productAlias',
    ],
    [
      'an API key',
      {
        clients: [{ clientId: 'c' }],
        apiKeys: ['a', 'b'].map((letter) => ({
          apiKeyId: 'k',
          appId: 'app',
          clientId: 'c',
          apiKey: Buffer.alloc(32, letter).toString('base64'),
        })),
      },
      'apiKeys[1].apiKeyId',
    ],
  ])('is rejected: %s', async (_, seed, path) => {
    const rejected = apply(SeedDocument.parse(seed));
    await expect(rejected).rejects.toThrow('is defined twice');
    const issues = await rejected.then(
      () => [],
      (error: unknown) => (error instanceof SeedError ? error.issues : []),
    );
    expect(issues.map((issue) => formatPath(issue.path))).toEqual([path]);
  });
});

describe('groups of a seed', () => {
  const rowsOf = async (store: Store) =>
    (await store.groups.list()).map(({ groupName, roles }) => `${groupName} ${roles.join()}`).sort();

  test('find each other by id, and by name in another normal form', async () => {
    const store = await apply({ groups: [{ groupName: 'caf\u00e9', groupId: 'g-1' }] });
    const groups = [
      { groupName: 'cafe\u0301', roles: ['ONE'] },
      { groupName: 'b', dependencies: [{ groupName: 'g-1' }] },
    ];
    await apply({ groups: [...groups, { groupName: 'c', dependencies: [{ groupName: 'cafe\u0301' }] }] }, store);
    expect(await rowsOf(store)).toEqual(['b ', 'c ', 'caf\u00e9 ONE']);
    const named = await Promise.all(['b', 'c'].map((name) => store.groups.getBy('groupName', name)));
    expect(named.map((row) => row?.dependencies)).toEqual([['g-1'], ['g-1']]);
  });

  test('with the id of another group, or the name of one to the eye, are all reported, and nothing is applied', async () => {
    const store = openMemoryStore();
    const createdAt = new Date(0).toISOString();
    const known = { roles: [], dependencies: [], createdAt };
    await store.transaction(async (tx) => {
      await tx.groups.insert({ ...known, groupId: 'g-1', groupName: 'one' });
      await tx.groups.insert({ ...known, groupId: 'g-2', groupName: 'two\u200b' });
    });
    const groups = [
      { groupName: 'two' },
      { groupName: 'a', groupId: 'g-1' },
      { groupName: 'b' },
      { groupName: 'c', groupId: 'g-9' },
      { groupName: 'd', groupId: 'g-9' },
    ];
    await expect(apply({ groups }, store)).rejects.toMatchObject({
      issues: [
        { path: ['groups', 0], message: expect.stringContaining('"two" is already in use') },
        { path: ['groups', 1], message: 'groups: key already exists' },
        { path: ['groups', 4], message: 'groups: key already exists' },
      ],
    });
    expect(await store.groups.count()).toBe(2);
  });
});

describe('cycles', () => {
  async function findIssues(groups: unknown): Promise<SeedError['issues']> {
    const error: unknown = await apply({ groups }).catch((reason: unknown) => reason);
    if (!(error instanceof SeedError)) throw new Error('the seed was applied', { cause: error });
    return error.issues;
  }

  const group = (groupName: string, ...dependencies: string[]) => ({
    groupName,
    dependencies: dependencies.map((name) => ({ groupName: name })),
  });

  test('are reported for their groups, and not for groups that lead into them or lie between two of them', async () => {
    const issues = await findIssues([
      group('above', 'a'),
      group('a', 'b'),
      group('b', 'a', 'between'),
      group('between', 'c'),
      group('c', 'c', 'below'),
      group('below'),
    ]);
    const message = (names: string) => `The dependencies of the groups would form a cycle: ${names}`;
    expect(issues).toEqual([
      { path: ['groups', 1], message: message('a -> b -> a') },
      { path: ['groups', 2], message: message('b -> a -> b') },
      { path: ['groups', 4], message: message('c -> c') },
    ]);
  });

  test('of many groups are reported for 100 of them', async () => {
    const { groups } = chain(300);
    const closed = groups.map((one, at) => (at === 299 ? group('group-299', 'group-0') : one));
    const issues = await findIssues([...range(150).map((at) => group(`between-${at}`, 'group-0')), ...closed]);
    expect(issues.map(({ path }) => path)).toEqual(range(100).map((at) => ['groups', 150 + at]));
  });

  test('of groups in the store are found through dependencies that the seed adds, and not through those it removes', async () => {
    const store = await apply({ groups: [group('a', 'b'), group('b', 'c'), group('c')] });
    await expect(apply({ groups: [group('c', 'a')] }, store)).rejects.toThrow('c -> a -> b -> c');
    await apply({ groups: [group('c', 'a'), group('a')] }, store);
    expect((await store.groups.getBy('groupName', 'c'))?.dependencies).toHaveLength(1);
  });
});

describe('login names of a seed', () => {
  const issuesOf = async (users: unknown, store?: Store) =>
    ((await apply({ users }, store).catch((error: unknown) => error)) as SeedError).issues;

  test('are rejected if an earlier user of the seed has them, in whatever form', async () => {
    const users = [
      { userId: 'u-1', userName: 'alice' },
      { userId: 'u-2', userName: 'Alice' },
      { userId: 'u-3', identities: ['other'] },
      { userId: 'u-4', userName: 'other' },
      { userId: 'u-5', userEmail: 'A@example.com' },
      { userId: 'u-6', userEmail: 'a@example.com' },
    ];
    expect((await issuesOf(users)).map(({ path }) => path.join('.'))).toEqual([
      'users.1.userName',
      'users.3.userName',
      'users.5.userEmail',
    ]);
  });

  test('that a user of the store gives up can be taken by a later one, and others cannot', async () => {
    const store = await apply({
      users: [
        { userId: 'u-1', userName: 'alice' },
        { userId: 'u-2', userName: 'bob' },
      ],
    });
    await apply(
      {
        users: [
          { userId: 'u-1', userName: 'carol' },
          { userId: 'u-3', userName: 'alice' },
        ],
      },
      store,
    );
    expect((await store.users.getBy('login', 'alice'))?.userId).toBe('u-3');
    expect(await issuesOf([{ userId: 'u-4', userName: 'bob' }], store)).toMatchObject([
      { path: ['users', 0, 'userName'] },
    ]);
  });
});

describe('a seed that moves businesses between corporate groups', () => {
  test('exchanges them, and leaves the others where they are, in their order', async () => {
    const corporate = (corporateGroupName: string, ...businesses: string[]) => ({ corporateGroupName, businesses });
    const store = await apply({
      businesses: range(5).map(business),
      corporateGroups: [
        corporate('one', 'business-0', 'business-1', 'business-2'),
        corporate('two', 'business-3', 'business-4'),
      ],
    });
    await apply({ corporateGroups: [corporate('one', 'business-3'), corporate('two', 'business-1')] }, store);
    const rows = await store.corporateGroups.list();
    expect(Object.fromEntries(rows.map((row) => [row.corporateGroupName, row.businesses]))).toEqual({
      one: ['business-0', 'business-2', 'business-3'],
      two: ['business-4', 'business-1'],
    });
  });
});
