/** Unknown names are compared with hashes of the kinds and costs that the users of the store have. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDummyHash } from '../../../src/server/store/hash-cost.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { defaultHashCost } from '../../../src/server/store/tables.ts';
import { createDummyHashes } from '../../../src/server/users/dummy-hashes.ts';
import { createFakeClock } from '../../harness.ts';
import { user } from '../store/rows.ts';

const storeSecret = {
  digest: (use: string, text: string) => createHash('sha256').update(`${use}\n${text}`).digest('hex'),
};
const [own, bcrypt, pbkdf2] = [defaultHashCost, '$2b$10$', '$pbkdf2-sha256$i=27500,l=64$22$86'].map(createDummyHash);
const names = Array.from({ length: 2000 }, (_, at) => `name-${at}`);

/** @param hashes with the number of users that have each */
async function insertUsers(store: Store, ...hashes: (readonly [string | undefined, number])[]): Promise<void> {
  await store.transaction(async ({ users }) => {
    for (const [passwordHash, count] of hashes)
      for (let at = 0; at < count; at += 1)
        await users.insert(user(`${passwordHash}-${at}`, passwordHash === undefined ? {} : { passwordHash }));
  });
}

function openDummies() {
  const store = openMemoryStore();
  const clock = createFakeClock();
  const { select } = createDummyHashes({ store, storeSecret, clock });
  const selectAll = () => Promise.all(names.map(select));
  return { store, clock, selectAll };
}

const shareOf = (selected: readonly (string | undefined)[], hash: string | undefined) =>
  selected.filter((each) => each === hash).length / selected.length;

test('the shares are those of the users with a password, and a name always has the same one', async () => {
  const { store, clock, selectAll } = openDummies();
  await insertUsers(store, [own, 100], [bcrypt, 60], [pbkdf2, 40], [undefined, 500], ['$1$unknown$hash', 300]);
  const selected = await selectAll();
  expect(shareOf(selected, own)).toBeCloseTo(0.5, 1);
  expect(shareOf(selected, bcrypt)).toBeCloseTo(0.3, 1);
  expect(shareOf(selected, pbkdf2)).toBeCloseTo(0.2, 1);
  clock.advance(3600);
  expect(await selectAll()).toEqual(selected);
});

test('after logins of imported users, names only leave the hashes that became rarer', async () => {
  const { store, clock, selectAll } = openDummies();
  await insertUsers(store, [own, 100], [bcrypt, 100]);
  const before = await selectAll();
  await store.transaction(async ({ users }) => {
    for (let at = 0; at < 50; at += 1) await users.replace(user(`${bcrypt}-${at}`, { passwordHash: own as string }));
  });
  expect(await selectAll()).toEqual(before);
  clock.advance(60);
  // The first one starts to count, and does not wait for it.
  expect(await selectAll()).toEqual(before);
  await setImmediate();
  const after = await selectAll();
  expect(shareOf(after, bcrypt)).toBeCloseTo(0.25, 1);
  for (const [at, hash] of after.entries()) if (hash === bcrypt) expect(before[at]).toBe(bcrypt);
});

test('without users that have a password, there is no dummy but that of new hashes', async () => {
  const { store, selectAll } = openDummies();
  await insertUsers(store, [undefined, 3]);
  expect(new Set(await selectAll())).toEqual(new Set([undefined]));
});

test('an error of the store fails the first selection, but keeps the counts later', async () => {
  const { store, clock, selectAll } = openDummies();
  await insertUsers(store, [bcrypt, 3]);
  const before = await selectAll();
  store.users.countBy = () => Promise.reject(new Error('unavailable'));
  clock.advance(60);
  expect(await selectAll()).toEqual(before);
  expect(await selectAll()).toEqual(before);
  const { select } = createDummyHashes({ store, storeSecret, clock });
  await expect(select('name')).rejects.toThrow('unavailable');
});
