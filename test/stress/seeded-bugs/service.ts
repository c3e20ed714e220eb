/** Defects of a service that uses a good store wrongly, goes by the time of day, or does not stop as it should. */
import type { Clock } from '../../../src/server/clock.ts';
import type { RunningServer } from '../../../src/server/http/listen.ts';
import type { Random } from '../../../src/server/random.ts';
import type { Store, Transaction } from '../../../src/server/store/store.ts';
import type { SigningKey } from '../../../src/server/store/tables.ts';

/** What each defect does, in the words of `--help`. */
export const serviceBugs = {
  'rotate-in-two': 'a rotation of signing keys removes the old key, and then puts it back as one that signs no more',
  'frozen-clock': 'the clock is read once, at the start',
  'ids-by-time': 'ids are made of the time of day and nothing random',
  'hasty-stop': 'a stop ends the process at once',
  'endless-stop': 'a stop leaves something that keeps the process',
} as const;

/** The clock with a defect; without one it is the clock itself. */
export function seedClockBug(clock: Clock, seededBug: string | undefined): Clock {
  if (seededBug !== 'frozen-clock') return clock;
  const startedAt = clock.now();
  return { now: () => startedAt };
}

/** What ids ask for, in bytes: nothing else asks for so few. */
const RANDOM_PART = 4;

/** The randomness with a defect. */
export function seedRandomBug(random: Random, seededBug: string | undefined): Random {
  if (seededBug !== 'ids-by-time') return random;
  return {
    uuid: () => random.uuid(),
    bytes: (length) => (length === RANDOM_PART ? Buffer.alloc(length) : random.bytes(length)),
  };
}

/** A store that is used wrongly. */
export function seedStoreBug(store: Store, seededBug: string | undefined): Store {
  if (seededBug !== 'rotate-in-two') return store;
  return {
    ...store,
    async transaction(work) {
      const later: SigningKey[] = [];
      const result = await store.transaction((tx) => work({ ...tx, signingKeys: deferInserts(tx, later) }));
      if (later.length === 0) return result;
      await store.transaction(async ({ signingKeys }) => {
        for (const row of later) await signingKeys.insert(row);
      });
      return result;
    },
  };
}

/** What is put into the table is kept for later, and what it takes the place of is removed. */
function deferInserts({ signingKeys }: Transaction, later: SigningKey[]): Transaction['signingKeys'] {
  const changes: Partial<Transaction['signingKeys']> = {
    list: async () => [...(await signingKeys.list()), ...later],
    insert: async (row) => void later.push(row),
    async replace(row) {
      await signingKeys.delete(row.kid);
      later.push(row);
    },
  };
  return Object.assign(Object.create(signingKeys), changes);
}

/** Stops a service, or does it wrongly. @param exit ends the process. */
export async function stopWithBug(
  service: RunningServer,
  seededBug: string | undefined,
  exit: () => void,
): Promise<void> {
  if (seededBug === 'hasty-stop') exit();
  if (seededBug === 'endless-stop') setInterval(() => {}, 1000);
  await service.stop();
}
