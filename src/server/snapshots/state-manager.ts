/**
 * Manages the whole state of a running server: reset, export, import and snapshots. Each operation is one transaction:
 * isolated from other writes, durable when acknowledged, and without effect if it fails.
 */
import { apiError } from '../../contract/errors.ts';
import type { ApiKeyUses } from '../directory/api-key-uses.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { GrowthLimits } from '../limits/growth.ts';
import type { Throttles } from '../limits/throttles.ts';
import type { Outbox } from '../messaging/messages.ts';
import { DuplicateError, OutcomeUnknownError, type Store, type Transaction } from '../store/store.ts';
import type { ReloadableStoreSecret } from '../store/store-secret.ts';
import type { SigningKey, TableName } from '../store/tables.ts';
import { assertKeysUsable, type KeyRing } from '../tokens/keys.ts';
import type { BaselineName, BaselineSource } from './baseline.ts';
import { type DumpTables, dumpStore, keyOf, replaceTables } from './dump.ts';
import { assertConsistent } from './dump-consistency.ts';
import { diffDumps, type TableDifference } from './dump-diff.ts';
import { createDumpError, type DumpDocument, decodeDump, encodeDump } from './dump-format.ts';
import { diffObjects, type ObjectDiff, type ObjectDiffQuery } from './object-diff.ts';
import { createSnapshots, type Snapshot, type Snapshots } from './snapshots.ts';

export interface StateManager {
  dump(): Promise<DumpTables>;
  reset(to: BaselineName): Promise<void>;
  /** Slices of a document. */
  export(): Promise<Iterable<Uint8Array>>;
  /** @throws IamError STATE_NEWER, STATE_DAMAGED; STATE_NOT_EMPTY unless `force`. */
  import(document: DumpDocument, force: boolean): Promise<void>;
  readonly snapshots: Pick<Snapshots, 'list' | 'delete'>;
  /** @throws IamError SNAPSHOT_EXISTS, TOO_MANY_SNAPSHOTS. */
  saveSnapshot(name: string, replace: boolean): Promise<Snapshot>;
  /** @throws IamError SNAPSHOT_NOT_FOUND. */
  restoreSnapshot(name: string): Promise<void>;
  /** Each is the name of a snapshot, or `now`, `seed` or `empty`. @throws IamError SNAPSHOT_NOT_FOUND. */
  diff(from: string, to: string): Promise<TableDifference[]>;
  /** The same for people. @throws IamError SNAPSHOT_NOT_FOUND. */
  diffObjects(from: string, to: string, query: ObjectDiffQuery): Promise<ObjectDiff>;
}

export interface StateManagerDeps {
  readonly store: Store;
  readonly storeSecret: ReloadableStoreSecret;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'sequence'>;
  readonly baseline: BaselineSource;
  readonly throttles: Throttles;
  readonly growthLimits: GrowthLimits;
  readonly apiKeyUses: ApiKeyUses;
  readonly outbox: Outbox;
}

/** Names of built-in states, which a snapshot can't have. */
export const reservedSnapshotNames = ['now', 'seed', 'empty'] as const;

/** Signing keys are retained, so that cached key sets stay valid, and with them the revoked tokens. */
const retainedOnRestore: ReadonlySet<TableName> = new Set<TableName>(['signingKeys', 'revokedTokens']);
/** A reset also retains the store secret: no bootstrap entity depends on it. */
const retainedOnReset: ReadonlySet<TableName> = new Set<TableName>([...retainedOnRestore, 'storeSecrets']);
const retainedOnImport: ReadonlySet<TableName> = new Set<TableName>();

/** Tables that make a store non-empty: durable entities, not the rows of logins and codes. */
const durableTables = [
  ...(['clients', 'apiKeys', 'groups', 'memberships', 'users', 'businesses', 'corporateGroups', 'customers'] as const),
  ...(['devices', 'factors', 'logons', 'products', 'providers'] as const),
];

export function createStateManager(deps: StateManagerDeps): StateManager {
  const { store, baseline, clock } = deps;
  const snapshots = createSnapshots(clock);

  /** @param before runs in the same transaction; throws to reject. */
  async function replaceAll(
    dump: DumpTables,
    retained: ReadonlySet<TableName>,
    before?: (tx: Transaction) => Promise<void>,
  ) {
    await store.transaction(async (tx) => {
      await before?.(tx);
      await replaceTables(tx, dump, retained);
    });
    const { sequence } = deps.ids;
    if (sequence) for (const [name, rows] of dump) for (const row of rows) sequence.skip(keyOf(name, row));
    await afterReplacement(() => clearCaches(deps));
  }

  async function readDump(name: string, field: string): Promise<DumpTables> {
    if (name === 'now') return dumpStore(store);
    return name === 'seed' || name === 'empty' ? baseline.read(name) : snapshots.read(name, field);
  }

  return {
    snapshots,
    dump: () => dumpStore(store),
    reset: async (to) => replaceAll(await baseline.read(to), retainedOnReset),
    export: async () => encodeDump((await store.dump()).tables),
    async import(document, force) {
      const dump = await decodeDump(document);
      await assertUsableKeys(dump);
      await assertConsistent(dump);
      const emptyDump = await baseline.read('empty');
      await replaceAll(dump, retainedOnImport, (tx) => assertPristine(tx, emptyDump, force)).catch(explainDuplicate);
      // Reloads the keys, and creates one if none matches the settings.
      await afterReplacement(() => deps.keys.reload());
    },
    async saveSnapshot(name, replace) {
      snapshots.assertRoom(name, replace);
      return snapshots.save(name, await dumpStore(store), replace);
    },
    restoreSnapshot: async (name) => replaceAll(snapshots.read(name), retainedOnRestore),
    diff: async (from, to) => diffDumps(await readDump(from, 'from'), await readDump(to, 'to')),
    diffObjects: async (from, to, query) => diffObjects(await readDump(from, 'from'), await readDump(to, 'to'), query),
  };
}

/** Reads what was replaced. @throws OutcomeUnknownError: a failure does not mean that nothing was changed. */
async function afterReplacement(work: () => Promise<void>): Promise<void> {
  await work().catch((cause: unknown) => {
    throw new OutcomeUnknownError('The state was replaced, and could not be read afterwards.', { cause });
  });
}

/** Clears in-memory state about replaced rows. Tokens are looked up in the store with each request. */
async function clearCaches(deps: StateManagerDeps): Promise<void> {
  const { throttles, growthLimits, apiKeyUses, storeSecret, outbox } = deps;
  throttles.reset();
  growthLimits.clear();
  apiKeyUses.clear();
  await storeSecret.reload();
  // Subscribers read their messages again, and pending messages are delivered.
  outbox.wake();
}

async function assertUsableKeys(dump: DumpTables): Promise<void> {
  if (dump.get('storeSecrets')?.length !== 1) throw createDumpError('storeSecrets must contain the key of the store');
  const { length } = Buffer.from(String(dump.get('storeSecrets')?.[0]?.value), 'base64url');
  if (length !== 32) throw createDumpError('storeSecrets[0].value must be a key of 32 bytes');
  await assertKeysUsable((dump.get('signingKeys') ?? []) as unknown as readonly SigningKey[]).catch(() => {
    throw createDumpError('signingKeys contains an unusable key');
  });
}

/** @throws IamError STATE_NOT_EMPTY if the store contains more than the bootstrap entities. */
async function assertPristine(tx: Transaction, emptyDump: DumpTables, force: boolean): Promise<void> {
  if (force) return;
  for (const table of durableTables) {
    const known = new Set(emptyDump.get(table)?.map((row) => keyOf(table, row)));
    // One of these is unknown if the table has more rows.
    const present = await tx[table].list({ limit: known.size + 1 });
    if (present.some((row) => !known.has(keyOf(table, row)))) throw apiError('STATE_NOT_EMPTY');
  }
}

function explainDuplicate(error: unknown): never {
  if (error instanceof DuplicateError)
    throw createDumpError(`two rows of ${error.table} have the same ${error.constraint}`);
  throw error;
}
