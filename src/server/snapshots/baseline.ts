/**
 * The baselines that a store can be reset to: the bootstrap entities only, or these and the seed. The bootstrap clients and
 * the administrator are retained, so their credentials stay valid.
 */
import { type BootstrapDeps, type BootstrapResult, bootstrap } from '../bootstrap.ts';
import { forEachParallel } from '../lib/for-each-parallel.ts';
import { type HashQueue, internalFlow } from '../limits/hash-queue.ts';
import type { ReportHashes } from '../seed/passwords.ts';
import type { SeedDocument } from '../seed/schema.ts';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import type { Store } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import { createTokenMeasure, type TokenMeasure } from '../tokens/issue.ts';
import { createPasswords, type HashPassword, type Passwords } from '../users/passwords.ts';
import { restoreBootstrap } from './bootstrap-restore.ts';
import { type DumpTables, readRows, readTables, replaceTables } from './dump.ts';

export type BaselineName = 'seed' | 'empty';

export interface BaselineSource {
  /** @throws SeedError if the seed can't be applied to an empty store. */
  read(name: BaselineName): Promise<DumpTables>;
}

/** Bootstraps and seeds a store before it is served, and records its baselines. @throws the errors of `bootstrap` and `applySeed`. */
export async function initializeStore(
  deps: BootstrapDeps & {
    readonly seed?: SeedDocument | undefined;
    readonly hashQueue: HashQueue;
    readonly reportHashes?: ReportHashes | undefined;
    readonly readInitialState?: BaselineDeps['readInitialState'];
  },
): Promise<{ bootstrapped: BootstrapResult; baseline: BaselineSource }> {
  const { reportHashes, ...baselineDeps } = deps;
  const { store, seed } = deps;
  const isFresh = await isEmpty(store);
  const bootstrapped = await bootstrap(deps);
  const emptyBaseline = isFresh ? await readTables(store) : await createEmptyBaseline(deps);
  const passwords = createPasswords(deps.hashQueue, { fast: deps.settings.fastPasswords });
  const hash: HashPassword = (password) => passwords.asSent.hash(password, internalFlow);
  const issuer = createTokenMeasure(deps.settings, deps.clock);
  if (seed) {
    // Most starts of a server have no seed.
    const { applySeed } = await import('../seed/apply.ts');
    await applySeed(seed, { ...baselineDeps, hash, reportHashes, issuer });
  }
  const seedBaseline = isFresh ? await readTables(store) : undefined;
  return {
    bootstrapped,
    baseline: createBaselineSource(
      { ...baselineDeps, hash, present: { store, passwords } },
      emptyBaseline,
      seedBaseline,
    ),
  };
}

async function isEmpty(store: Store): Promise<boolean> {
  return (await store.clients.count()) === 0 && (await store.users.count()) === 0;
}

/** For an existing store: its bootstrap clients and administrator in an otherwise empty store. */
async function createEmptyBaseline(deps: BootstrapDeps): Promise<DumpTables> {
  const scratch = openMemoryStore();
  await scratch.transaction((tx) => restoreBootstrap(tx, deps));
  return readTables(scratch);
}

/**
 * The baselines of a sandbox with its own seed. Its bootstrap clients have the ids of those of the server, so that a program
 * needs no other application client, but secrets of their own.
 */
export async function createSeededBaseline(
  seed: SeedDocument,
  server: BaselineSource,
  deps: Omit<BootstrapDeps, 'store'> & { readonly hash: HashPassword },
): Promise<{ bootstrapped: BootstrapResult; baseline: BaselineSource }> {
  const store = openMemoryStore();
  const clients = readRows(await server.read('empty'), 'clients');
  const idOf = (kind: Client['bootstrap']) => clients.find(({ bootstrap }) => bootstrap === kind)?.clientId;
  const settings = { ...deps.settings, adminClientId: idOf('admin'), appClientId: idOf('app') };
  const bootstrapped = await bootstrap({ ...deps, seed, store, settings });
  const issuer = createTokenMeasure(settings, deps.clock);
  return {
    bootstrapped,
    baseline: createBaselineSource({ ...deps, seed, issuer }, await readTables(store), undefined),
  };
}

interface BaselineDeps extends Pick<BootstrapDeps, 'clock' | 'ids' | 'settings'> {
  readonly seed?: SeedDocument | undefined;
  readonly hash: HashPassword;
  /** The store that the seed was applied to, if any. */
  readonly present?: { readonly store: Store; readonly passwords: Passwords } | undefined;
  /** Checks the length of tokens. Missing if the seed was applied before, under this limit or another one. */
  readonly issuer?: TokenMeasure | undefined;
  /** The baseline `seed` of an initialized store, such as a fork. Default: bootstrap data and the seed. */
  readonly readInitialState?: (() => Promise<DumpTables>) | undefined;
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
      // Created once, on first use, as the passwords of the seed must be hashed.
      seedBaseline ??= createSeedBaseline(deps, emptyBaseline).catch((error: unknown) => {
        seedBaseline = undefined;
        throw error;
      });
      return seedBaseline;
    },
  };
}

async function createSeedBaseline(
  { seed, present, readInitialState, ...deps }: BaselineDeps,
  emptyBaseline: DumpTables,
): Promise<DumpTables> {
  // Without its signing keys: a reset retains those in use, and a sandbox creates its own.
  if (readInitialState) return new Map([...(await readInitialState())].filter(([name]) => name !== 'signingKeys'));
  if (!seed) return emptyBaseline;
  const scratch = openMemoryStore();
  await scratch.transaction((tx) => replaceTables(tx, emptyBaseline, new Set()));
  const { hashConcurrency } = deps.settings;
  const { applySeed } = await import('../seed/apply.ts');
  await applySeed(present ? await withPresentUsers(seed, present, hashConcurrency) : seed, { ...deps, store: scratch });
  return readTables(scratch);
}

/**
 * The seed with the ids of the users that the store has, and with the hashes of the passwords that they still have: a hash
 * that differs from that in the store is then the hash of another password.
 */
async function withPresentUsers(
  seed: SeedDocument,
  { store, passwords }: NonNullable<BaselineDeps['present']>,
  concurrency: number,
): Promise<SeedDocument> {
  const withHash = async <Entry extends { readonly password?: string | undefined }>(entry: Entry, hash?: string) => {
    const { password, ...rest } = entry;
    if (password === undefined || hash === undefined) return entry;
    return (await passwords.matches(password, hash, internalFlow)) ? { ...rest, passwordHash: hash } : entry;
  };
  const { findUser } = await import('../seed/apply.ts');
  const [users, mainframe] = [[...(seed.users ?? [])], [...(seed.mainframe ?? [])]];
  await forEachParallel([...users.entries()], concurrency, async ([at, user]) => {
    const known = await findUser(store, user);
    if (known) users[at] = { ...(await withHash(user, known.passwordHash)), userId: known.userId };
  });
  await forEachParallel([...mainframe.entries()], concurrency, async ([at, entry]) => {
    mainframe[at] = await withHash(entry, (await store.logons.get(entry.logon))?.passwordHash);
  });
  return { ...seed, ...(seed.users ? { users } : {}), ...(seed.mainframe ? { mainframe } : {}) };
}
