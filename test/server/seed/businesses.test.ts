import { describe, expect, test } from 'vitest';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { SeedDocument } from '../../../src/server/seed/schema.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { createFakeClock } from '../../harness.ts';

async function open() {
  const store = await openMemoryStore();
  const clock = createFakeClock();
  const ids = createIds(clock, systemRandom);
  return { store, apply: (seed: unknown) => applySeed(SeedDocument.parse(seed), { store, clock, ids }) };
}

const businesses = ['a', 'b', 'c'].map((businessId) => ({
  businessId,
  businessName: businessId,
  document: `d-${businessId}`,
}));

async function homes(store: Store): Promise<Record<string, readonly string[]>> {
  const groups = await store.corporateGroups.list();
  return Object.fromEntries(groups.map((group) => [group.corporateGroupName, group.businesses]));
}

async function rows(store: Store) {
  return Promise.all([
    store.businesses.list(),
    store.customers.list(),
    store.corporateGroups.list(),
    store.counters.list(),
  ]);
}

describe('corporate groups of a seed', () => {
  test('contain the businesses that they list and those that refer to them', async () => {
    const { store, apply } = await open();
    await apply({
      businesses: [...businesses.slice(0, 2), { ...businesses[2], corporateGroupName: 'holding' }],
      corporateGroups: [
        { corporateGroupId: 'h', corporateGroupName: 'holding', organizationId: 'o', businesses: ['a'] },
        { corporateGroupName: 'empty' },
      ],
    });
    expect(await homes(store)).toEqual({ holding: ['c', 'a'], empty: [] });
    expect(await store.corporateGroups.get('h')).toMatchObject({ organizationId: 'o' });
  });

  test('are updated from the seed; other businesses stay unchanged', async () => {
    const { store, apply } = await open();
    await apply({
      businesses,
      corporateGroups: [{ corporateGroupId: 'h', corporateGroupName: 'old', businesses: ['a', 'b'] }],
    });
    await apply({
      corporateGroups: [
        { corporateGroupId: 'h', corporateGroupName: 'new' },
        { corporateGroupName: 'other', businesses: ['b', 'c'] },
      ],
    });
    expect(await homes(store)).toEqual({ new: ['a'], other: ['b', 'c'] });
  });

  test.each([
    ['a missing business', { corporateGroups: [{ corporateGroupName: 'x', businesses: ['unknown-business'] }] }],
    ['a missing corporate group', { businesses: [{ ...businesses[0], corporateGroupName: 'x' }] }],
    [
      'one business in two of them',
      {
        businesses,
        corporateGroups: [
          { corporateGroupName: 'x', businesses: ['a'] },
          { corporateGroupName: 'y', businesses: ['a'] },
        ],
      },
    ],
  ])('are rejected completely if they refer to %s', async (_, seed) => {
    const { store, apply } = await open();
    const before = await rows(store);
    await expect(apply(seed)).rejects.toThrow(/corporateGroups: |businesses: /);
    expect(await rows(store)).toEqual(before);
  });
});

describe('businesses of a seed', () => {
  test('with a document become customers with separate numbers', async () => {
    const { store, apply } = await open();
    await apply({ businesses: [...businesses, { businessId: 'd', businessName: 'd' }] });
    const customers = await store.customers.list();
    expect(customers.map(({ customerId, businessId }) => [customerId, businessId])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
    await apply({
      businesses: [
        { businessId: 'd', businessName: 'd', document: 'd-d' },
        { ...businesses[0], document: 'new' },
      ],
    });
    expect(await store.customers.getBy('businessId', 'd')).toMatchObject({ customerId: 4, document: 'd-d' });
    expect(await store.customers.getBy('businessId', 'a')).toMatchObject({ customerId: 1, document: 'new' });
  });
});
