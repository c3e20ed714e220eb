/** The key ring: retention of keys, restarts and rotations, and broken keys. */
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import type { SigningKey } from '../../../src/server/store/tables.ts';
import { assertKeysUsable, type KeyRing, openKeyRing } from '../../../src/server/tokens/keys.ts';

const now = 1_800_000_000;
const clock = { now: () => new Date(now * 1000) };

function openRing(store: Store, longestToken = 600): Promise<KeyRing> {
  return openKeyRing({ store, clock, alg: 'ES256', longestToken });
}

/** A store that counts its writes. */
function counting(): { store: Store; writes(): number } {
  const store = openMemoryStore();
  let writes = 0;
  const transaction: Store['transaction'] = (work) => {
    writes += 1;
    return store.transaction(work);
  };
  return { store: { ...store, transaction }, writes: () => writes };
}

const kids = (keys: readonly { kid?: string }[]) => keys.map(({ kid }) => kid);

describe('a retired key verifies for the longest lifetime of its tokens plus a minute', () => {
  test.each([
    { first: 600, later: 7200, stays: 7200 },
    { first: 7200, later: 600, stays: 7200 },
    { first: 600, later: 600, stays: 600 },
  ])('$first s at the first start, $later s at the next: $stays s', async ({ first, later, stays }) => {
    const store = openMemoryStore();
    const { kid } = (await openRing(store, first)).current();
    const rotated = await (await openRing(store, later)).rotate();
    expect(rotated.retired).toEqual([{ kid, until: now + stays + 60 }]);
  });

  test('a start without changes writes nothing', async () => {
    const { store, writes } = counting();
    await openRing(store, 600);
    const before = writes();
    await openRing(store, 600);
    await openRing(store, 60);
    expect(writes()).toBe(before);
    await openRing(store, 601);
    expect(writes()).toBe(before + 1);
  });
});

describe('servers that share a store', () => {
  /** A timer that never fires: the tests refresh. */
  const timer = { after: () => () => undefined };
  const share = (): Store => ({
    ...openMemoryStore(),
    shared: {
      replica: 'one',
      runAlone: (_name, work) => work(),
      loginEvents: { publish: async () => undefined, readNew: async () => [] },
    },
  });
  const openShared = (store: Store, alg: 'ES256' | 'RS256', longestToken = 600) =>
    openKeyRing({ store, clock, alg, longestToken, timer });

  test('sign and verify with the key of a server that was started with another algorithm', async () => {
    const store = share();
    const earlier = await openShared(store, 'ES256');
    const { kid } = (await openShared(store, 'RS256')).current();
    await earlier.refresh();
    expect(earlier.find(kid)).toMatchObject({ kid, alg: 'RS256' });
    // Its own key is retired: tokens that it signs would expire with that key.
    expect(earlier.current().kid).toBe(kid);
  });

  test('look for the key of an unknown id at most once a second', async () => {
    const store = share();
    let reads = 0;
    const list: Store['signingKeys']['list'] = (range) => {
      reads += 1;
      return store.signingKeys.list(range);
    };
    let elapsed = 0;
    const ring = await openKeyRing({
      ...{ store: { ...store, signingKeys: { ...store.signingKeys, list } }, clock, alg: 'ES256', longestToken: 600 },
      ...{ timer, stopwatch: { now: () => elapsed } },
    });
    const before = reads;
    for (elapsed = 1; elapsed <= 2001; elapsed += 100) await ring.refresh();
    expect(reads - before).toBe(3);
  });

  test('a start with a longer lifetime does not make a key current that is retired meanwhile', async () => {
    const store = share();
    const { kid: first } = (await openShared(store, 'ES256')).current();
    let hasRotated = false;
    const transaction: Store['transaction'] = async (work) => {
      if (!hasRotated) {
        hasRotated = true;
        // Outside of a shared store a rotation takes effect at once.
        const { shared: _, ...alone } = store;
        await (await openKeyRing({ store: alone, clock, alg: 'ES256', longestToken: 600 })).rotate();
      }
      return store.transaction(work);
    };
    await openShared({ ...store, transaction }, 'ES256', 7200);
    const current = (await store.signingKeys.list()).filter((row) => row.current);
    expect(current).toHaveLength(1);
    expect(current[0]?.kid).not.toBe(first);
  });
});

describe('the previous keys', () => {
  test('are those that were published before the rotation', async () => {
    const ring = await openRing(openMemoryStore());
    const first = ring.current().kid;
    expect(kids(ring.publicKeysBefore())).toEqual([first]);
    const { kid: second } = await ring.rotate();
    expect(kids(ring.publicKeysBefore())).toEqual([first]);
    await ring.rotate();
    expect(kids(ring.publicKeysBefore())).toEqual([second, first]);
  });

  test('are the other stored keys after a start', async () => {
    const store = openMemoryStore();
    const before = await openRing(store);
    const first = before.current().kid;
    await before.rotate();
    expect(kids((await openRing(store)).publicKeysBefore())).toEqual([first]);
  });
});

test('a reload replaces the keys by those of the store', async () => {
  const store = openMemoryStore();
  const [ring, other] = [await openRing(store), await openRing(store)];
  const { kid: second } = await ring.rotate();
  const { kid: third } = await other.rotate();
  await ring.reload();
  expect(ring.current().kid).toBe(third);
  expect(kids(ring.publicKeys())[0]).toBe(third);
  expect(kids(ring.publicKeysBefore())).toContain(second);
  expect(kids(ring.publicKeysBefore())).not.toContain(third);
});

test('concurrent rotations run one after the other and create one key each', async () => {
  const ring = await openRing(openMemoryStore());
  const rotated = await Promise.all(Array.from({ length: 5 }, () => ring.rotate()));
  expect(new Set(rotated.map(({ kid }) => kid)).size).toBe(5);
  expect(ring.current().kid).toBe(rotated.at(-1)?.kid);
  expect(ring.publicKeys()).toHaveLength(6);
});

describe('keys are usable', () => {
  async function rows(): Promise<SigningKey[]> {
    const store = openMemoryStore();
    await (await openRing(store)).rotate();
    return [...(await store.signingKeys.list())];
  }
  const broken = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' };

  test('where both halves of the current key and the public half of the others are valid', async () => {
    await expect(assertKeysUsable(await rows())).resolves.toBeUndefined();
    await expect(assertKeysUsable([])).resolves.toBeUndefined();
  });

  test.each([
    { what: 'the public half of a retired key', current: false, member: 'publicJwk' },
    { what: 'the public half of the current key', current: true, member: 'publicJwk' },
    { what: 'the private half of the current key', current: true, member: 'privateJwk' },
  ])('and unusable with a broken key: $what', async ({ current, member }) => {
    const unusable = (await rows()).map((row) => (row.current === current ? { ...row, [member]: broken } : row));
    await expect(assertKeysUsable(unusable)).rejects.toThrow();
  });
});
