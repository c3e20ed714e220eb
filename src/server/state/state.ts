/**
 * The state of a running server as a whole: back to its beginning, out and in as a document, kept and brought back under
 * a name. Each of them is one transaction, so whatever else writes does so before it or after it; it is on disk as a
 * whole when it is acknowledged, and where it fails nothing has changed.
 */
import { fault } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import type { ApiKeyUses } from '../identity/api-key-uses.ts';
import type { GrowthLimit } from '../identity/growth-limit.ts';
import type { Outbox } from '../identity/messages.ts';
import type { OpenedStoreKey } from '../identity/store-key.ts';
import type { Throttles } from '../identity/throttles.ts';
import { DuplicateError, type Store, type Transaction } from '../store/store.ts';
import type { SigningKey, TableName } from '../store/tables.ts';
import { checkKeys, type KeyRing } from '../tokens/keys.ts';
import type { Beginning, Beginnings } from './beginnings.ts';
import { differencesBetween, type TableDifference } from './differences.ts';
import { damaged, decodeState, encodeState, type StateDocument } from './document.ts';
import { type Image, imageOf, keyOf, putImage, takeImage } from './image.ts';
import { createSnapshots, type Snapshot, type Snapshots } from './snapshots.ts';

export interface State {
  /** Everything in the store as it is at this moment. */
  now(): Promise<Image>;
  reset(to: Beginning): Promise<void>;
  exported(): Promise<string>;
  /** @throws IamError STATE_NEWER, STATE_DAMAGED; STATE_NOT_EMPTY unless `force`. */
  import(document: StateDocument, force: boolean): Promise<void>;
  readonly snapshots: Pick<Snapshots, 'list' | 'delete'>;
  /** @throws IamError SNAPSHOT_EXISTS, TOO_MANY_SNAPSHOTS. */
  save(name: string, replace: boolean): Promise<Snapshot>;
  /** @throws IamError SNAPSHOT_NOT_FOUND. */
  restore(name: string): Promise<void>;
  /** Each is the name of a snapshot, or `now`, `seed` or `empty`. @throws IamError SNAPSHOT_NOT_FOUND. */
  difference(from: string, to: string): Promise<TableDifference[]>;
}

export interface StateParts {
  readonly store: Store;
  readonly storeKey: OpenedStoreKey;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly beginnings: Beginnings;
  readonly throttles: Throttles;
  readonly growthLimit: GrowthLimit;
  readonly apiKeyUses: ApiKeyUses;
  readonly outbox: Outbox;
}

/** Names that no snapshot can have: they stand for other states. */
export const reservedStates = ['now', 'seed', 'empty'] as const;

/** The keys that sign stay, so that verifiers need not ask again; and with them what voids tokens that they signed. */
const keptByRestore: ReadonlySet<TableName> = new Set<TableName>(['signingKeys', 'revokedTokens']);
/** The store's own key stays besides: nothing that a fresh start makes was made with it. */
const keptByReset: ReadonlySet<TableName> = new Set<TableName>([...keptByRestore, 'storeSecrets']);
const keptByImport: ReadonlySet<TableName> = new Set<TableName>();

/** Tables of what somebody made to last. What comes and goes with logins and codes is no reason to ask again. */
const lasting = [
  ...(['clients', 'apiKeys', 'groups', 'memberships', 'users', 'businesses', 'corporateGroups', 'customers'] as const),
  ...(['devices', 'factors', 'logons', 'products', 'providers'] as const),
];

export function createState(parts: StateParts): State {
  const { store, beginnings, clock } = parts;
  const snapshots = createSnapshots(clock);

  /** @param before is run in the same transaction, and may refuse. */
  async function become(image: Image, kept: ReadonlySet<TableName>, before?: (tx: Transaction) => Promise<void>) {
    await store.transaction(async (tx) => {
      await before?.(tx);
      await putImage(tx, image, kept);
    });
    await forgetWhatWas(parts);
  }

  async function imageNamed(name: string): Promise<Image> {
    if (name === 'now') return takeImage(store);
    return name === 'seed' || name === 'empty' ? beginnings.imageOf(name) : snapshots.imageOf(name);
  }

  return {
    snapshots,
    now: () => takeImage(store),
    reset: async (to) => become(await beginnings.imageOf(to), keptByReset),
    exported: async () => encodeState(await takeImage(store)),
    async import(document, force) {
      const image = await decodeState(document);
      await requireGoodKeys(image);
      const bootstrapped = await beginnings.imageOf('empty');
      await become(image, keptByImport, (tx) => requireNothingMore(tx, bootstrapped, force)).catch(explainDuplicate);
      // What else is in the document was checked; keys are read anew, and one is made where none fits the settings.
      await parts.keys.reload();
    },
    async save(name, replace) {
      snapshots.requireRoom(name, replace);
      return snapshots.keep(name, await takeImage(store), replace);
    },
    restore: async (name) => become(snapshots.imageOf(name), keptByRestore),
    async difference(from, to) {
      const [before, after] = [await imageNamed(from), await imageNamed(to)];
      return differencesBetween(before, after);
    },
  };
}

/** What is held in memory about rows that are no more. Tokens are looked up in the store with each call, so they are not. */
async function forgetWhatWas(parts: StateParts): Promise<void> {
  const { throttles, growthLimit, apiKeyUses, storeKey, outbox } = parts;
  throttles.reset();
  growthLimit.clear();
  apiKeyUses.forget();
  await storeKey.reload();
  // Whoever waits for a message looks again, and messages that are to go out do.
  outbox.kept();
}

async function requireGoodKeys(image: Image): Promise<void> {
  if (image.get('storeSecrets')?.length !== 1) throw damaged('storeSecrets must hold the key of the store');
  const { length } = Buffer.from(String(image.get('storeSecrets')?.[0]?.value), 'base64url');
  if (length !== 32) throw damaged('storeSecrets[0].value must be a key of 32 bytes');
  await checkKeys((image.get('signingKeys') ?? []) as unknown as readonly SigningKey[]).catch(() => {
    throw damaged('signingKeys holds a key that can not be used');
  });
}

/** @throws IamError STATE_NOT_EMPTY where somebody made more than the first start did. */
async function requireNothingMore(tx: Transaction, bootstrapped: Image, force: boolean): Promise<void> {
  if (force) return;
  const present = await imageOf(tx);
  for (const table of lasting) {
    const known = new Set(bootstrapped.get(table)?.map((row) => keyOf(table, row)));
    if (present.get(table)?.some((row) => !known.has(keyOf(table, row)))) throw fault('STATE_NOT_EMPTY');
  }
}

function explainDuplicate(error: unknown): never {
  if (error instanceof DuplicateError)
    throw damaged(`two rows of ${error.table} share what is unique (${error.constraint})`);
  throw error;
}
