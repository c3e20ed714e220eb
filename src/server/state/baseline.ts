/**
 * What a store goes back to: to nothing but what the first start makes, or to that and the seed. The clients and the
 * administrator of this start stay who they are, so credentials that were told once go on working.
 */
import { type BootstrapDeps, type BootstrapResult, bootstrap } from '../bootstrap.ts';
import { type HashQueue, internalLane } from '../identity/hash-queue.ts';
import { createPasswords, type HashPassword } from '../identity/passwords.ts';
import { applySeed } from '../seed/apply.ts';
import type { SeedDocument } from '../seed/schema.ts';
import { openMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { type DumpTables, readTables, replaceTables } from './dump.ts';
import { rebootstrap } from './rebootstrap.ts';

export type BaselineName = 'seed' | 'empty';

export interface BaselineSource {
  /** @throws SeedError where the seed does not go with an empty store. */
  read(name: BaselineName): Promise<DumpTables>;
}

/** Bootstraps and seeds a store, and notes what it would be after a fresh start: nobody else writes as yet. @throws what the two throw. */
export async function initializeStore(
  deps: BootstrapDeps & { readonly seed?: SeedDocument | undefined; readonly hashQueue: HashQueue },
): Promise<{ bootstrapped: BootstrapResult; baseline: BaselineSource }> {
  const { store, seed } = deps;
  const isFresh = await isEmpty(store);
  const bootstrapped = await bootstrap(deps);
  const emptyBaseline = isFresh ? await readTables(store) : await createEmptyBaseline(deps);
  const { hash: hashOf } = createPasswords(deps.hashQueue, { fast: deps.settings.fastPasswords });
  const hash: HashPassword = (password) => hashOf(password, internalLane);
  if (seed) await applySeed(seed, { ...deps, hash });
  const seedBaseline = isFresh ? await readTables(store) : undefined;
  return { bootstrapped, baseline: createBaselineSource({ ...deps, hash }, emptyBaseline, seedBaseline) };
}

async function isEmpty(store: Store): Promise<boolean> {
  return (await store.clients.count()) === 0 && (await store.users.count()) === 0;
}

/** A store with a history: its clients and its administrator of the first start, in a store that has no history. */
async function createEmptyBaseline(deps: BootstrapDeps): Promise<DumpTables> {
  const scratch = openMemoryStore();
  await scratch.transaction((tx) => rebootstrap(tx, deps));
  return readTables(scratch);
}

interface BaselineDeps extends Pick<BootstrapDeps, 'clock' | 'ids'> {
  readonly seed?: SeedDocument | undefined;
  readonly hash: HashPassword;
}

function createBaselineSource(
  deps: BaselineDeps,
  emptyBaseline: DumpTables,
  known: DumpTables | undefined,
): BaselineSource {
  let seedBaseline: Promise<DumpTables> | undefined = known && Promise.resolve(known);
  return {
    read(name) {
      if (name === 'empty') return Promise.resolve(emptyBaseline);
      // Passwords of the seed have to be hashed for it, so it is made once, when somebody first asks.
      seedBaseline ??= createSeedBaseline(deps, emptyBaseline).catch((error: unknown) => {
        seedBaseline = undefined;
        throw error;
      });
      return seedBaseline;
    },
  };
}

async function createSeedBaseline({ seed, ...deps }: BaselineDeps, emptyBaseline: DumpTables): Promise<DumpTables> {
  if (!seed) return emptyBaseline;
  const scratch = openMemoryStore();
  await scratch.transaction((tx) => replaceTables(tx, emptyBaseline, new Set()));
  await applySeed(seed, { ...deps, store: scratch });
  return readTables(scratch);
}
