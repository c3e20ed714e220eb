/** Seeded bugs outside the store: split transactions, wrong use of the clock, ids without randomness, wrong stops. */
import type { Clock } from '../../../src/server/lib/clock.ts';
import type { Random } from '../../../src/server/lib/random.ts';
import type { RunningServer } from '../../../src/server/listen.ts';
import { overrideTables, type Store, type Transaction } from '../../../src/server/store/store.ts';
import type { SigningKey } from '../../../src/server/store/tables.ts';

/** Descriptions of the bugs, as `--help` shows them. */
export const serviceBugs = {
  'rotate-in-two': 'a key rotation deletes the old key and inserts it as a retired key in a second transaction',
  'frozen-clock': 'the clock is read only once, at the start',
  'ids-by-time': 'ids contain the time and no random bytes',
  'hasty-stop': 'a stop ends the process immediately',
  'endless-stop': 'a stop leaves a timer that keeps the process running',
} as const;

/** Returns the clock with the bug; without one it returns the clock unchanged. */
export function seedClockBug(clock: Clock, seededBug: string | undefined): Clock {
  if (seededBug !== 'frozen-clock') return clock;
  const startedAt = clock.now();
  return { now: () => startedAt };
}

/** The number of random bytes in an id; no other caller requests so few. */
const RANDOM_PART = 4;

/** Returns the random source with the bug; without one it returns it unchanged. */
export function seedRandomBug(random: Random, seededBug: string | undefined): Random {
  if (seededBug !== 'ids-by-time') return random;
  return {
    uuid: () => random.uuid(),
    bytes: (length) => (length === RANDOM_PART ? Buffer.alloc(length) : random.bytes(length)),
  };
}

/** Returns the store with the bug; without one it returns the store unchanged. */
export function seedStoreBug(store: Store, seededBug: string | undefined): Store {
  if (seededBug !== 'rotate-in-two') return store;
  return {
    ...store,
    async transaction(work) {
      const deferred: SigningKey[] = [];
      const result = await store.transaction((tx) =>
        work(overrideTables(tx, { signingKeys: deferInserts(tx, deferred) })),
      );
      if (deferred.length === 0) return result;
      await store.transaction(async ({ signingKeys }) => {
        for (const row of deferred) await signingKeys.insert(row);
      });
      return result;
    },
  };
}

/** Defers inserts to a second transaction; a replace deletes the old row now. */
function deferInserts({ signingKeys }: Transaction, deferred: SigningKey[]): Transaction['signingKeys'] {
  const changes: Partial<Transaction['signingKeys']> = {
    list: async () => [...(await signingKeys.list()), ...deferred],
    insert: async (row) => void deferred.push(row),
    async replace(row) {
      await signingKeys.delete(row.kid);
      deferred.push(row);
    },
  };
  return Object.assign(Object.create(signingKeys), changes);
}

/** Stops a service, with the bug if one is seeded. @param exit ends the process. */
export async function stopWithBug(
  service: RunningServer,
  seededBug: string | undefined,
  exit: () => void,
): Promise<void> {
  if (seededBug === 'hasty-stop') exit();
  if (seededBug === 'endless-stop') setInterval(() => {}, 1000);
  await service.stop();
}
