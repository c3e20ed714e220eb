/**
 * Dummy hashes in the proportions of a store. Hashes of imported users take another time than new ones; if every unknown
 * name took the time of a new hash, an imported user would be known by its time.
 */
import type { Clock } from '../lib/clock.ts';
import { createDummyHash } from '../store/hash-cost.ts';
import type { Store } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import { defaultHashCost, noHashCost } from '../store/tables.ts';
import { isVerifiable } from './hashes/kinds.ts';
import type { DummyHashes } from './passwords.ts';

interface Deps {
  readonly store: Pick<Store, 'users'>;
  readonly storeSecret: Pick<StoreSecret, 'digest'>;
  /** Of the machine: that of a service can stand still. */
  readonly clock: Clock;
}

/** The proportions change with imports and logins. On a database, counting many imported users takes a while. */
const refreshSeconds = 60;
/** More are not compared for each login: the rarest are left out. */
const maxCosts = 64;

interface Candidate {
  readonly cost: string;
  readonly hash: string;
  /** The number of users with this cost. */
  readonly count: number;
}

export function createDummyHashes({ store, storeSecret, clock }: Deps): DummyHashes {
  let candidates: readonly Candidate[] | undefined;
  let readAt = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    candidates = await readCandidates(store);
  }

  function refresh(): Promise<void> {
    readAt = clock.now().getTime();
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    async select(name) {
      const isOutdated = Math.abs(clock.now().getTime() - readAt) >= refreshSeconds * 1000;
      if (candidates === undefined) await refresh();
      // Not awaited, so that no login takes longer. After an error the former ones remain.
      else if (isOutdated) refresh().catch(() => undefined);
      return selectByWeight(candidates ?? [], (cost) => storeSecret.digest('dummy-hash', `${cost}\n${name}`));
    },
  };
}

async function readCandidates(store: Deps['store']): Promise<readonly Candidate[]> {
  const [total, counts] = await Promise.all([store.users.count(), store.users.countBy('hashCost')]);
  let others = total;
  for (const count of counts.values()) others -= count;
  // A database estimates the total.
  const all = [...counts, [defaultHashCost, Math.max(0, others)] as const];
  return all
    .filter(([cost, count]) => cost !== noHashCost && count > 0)
    .map(([cost, count]) => ({ cost, count, hash: createDummyHash(cost) }))
    .filter(({ hash }) => isVerifiable(hash))
    .sort((one, other) => other.count - one.count)
    .slice(0, maxCosts);
}

/**
 * Weighted rendezvous hashing: each candidate is selected as often as its count says, and if the counts change, a name keeps
 * its candidate unless that one has become rarer or another one more frequent.
 */
function selectByWeight(candidates: readonly Candidate[], digest: (cost: string) => string): string | undefined {
  let best: { readonly hash: string; readonly score: number } | undefined;
  for (const { cost, hash, count } of candidates) {
    // 48 bits, above 0 and below 1.
    const draw = (Number.parseInt(digest(cost).slice(0, 12), 16) + 0.5) / 2 ** 48;
    const score = -Math.log(draw) / count;
    if (best === undefined || score < best.score) best = { hash, score };
  }
  return best?.hash;
}
