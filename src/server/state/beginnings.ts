/**
 * What a store goes back to: to nothing but what the first start makes, or to that and the seed. The clients and the
 * administrator of this start stay who they are, so credentials that were told once go on working.
 */
import { type BootstrapParts, type Bootstrapped, bootstrap } from '../bootstrap.ts';
import { type HashQueue, ownLane } from '../identity/hash-queue.ts';
import { createPasswords, type HashPassword } from '../identity/passwords.ts';
import { applySeed } from '../seed/apply.ts';
import type { SeedDocument } from '../seed/schema.ts';
import { openMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { bootstrapAgain } from './bootstrap-again.ts';
import { type Image, imageOf, putImage } from './image.ts';

export type Beginning = 'seed' | 'empty';

export interface Beginnings {
  /** @throws SeedError where the seed does not go with an empty store. */
  imageOf(beginning: Beginning): Promise<Image>;
}

/** Bootstraps and seeds a store, and notes what it would be after a fresh start: nobody else writes as yet. @throws what the two throw. */
export async function begin(
  parts: BootstrapParts & { readonly seed?: SeedDocument | undefined; readonly hashQueue: HashQueue },
): Promise<{ bootstrapped: Bootstrapped; beginnings: Beginnings }> {
  const { store, seed } = parts;
  const isFresh = await isEmpty(store);
  const bootstrapped = await bootstrap(parts);
  const empty = isFresh ? await imageOf(store) : await emptiedImage(parts);
  const { hash: hashOf } = createPasswords(parts.hashQueue, { fast: parts.settings.fastPasswords });
  const hash: HashPassword = (password) => hashOf(password, ownLane);
  if (seed) await applySeed(seed, { ...parts, hash });
  const seeded = isFresh ? await imageOf(store) : undefined;
  return { bootstrapped, beginnings: createBeginnings({ ...parts, hash }, empty, seeded) };
}

async function isEmpty(store: Store): Promise<boolean> {
  return (await store.clients.count()) === 0 && (await store.users.count()) === 0;
}

/** A store with a history: its clients and its administrator of the first start, in a store that has no history. */
async function emptiedImage(parts: BootstrapParts): Promise<Image> {
  const scratch = openMemoryStore();
  await scratch.transaction((tx) => bootstrapAgain(tx, parts));
  return imageOf(scratch);
}

interface SeedParts extends Pick<BootstrapParts, 'clock' | 'ids'> {
  readonly seed?: SeedDocument | undefined;
  readonly hash: HashPassword;
}

function createBeginnings(parts: SeedParts, empty: Image, known: Image | undefined): Beginnings {
  let seeded: Promise<Image> | undefined = known && Promise.resolve(known);
  return {
    imageOf(beginning) {
      if (beginning === 'empty') return Promise.resolve(empty);
      // Passwords of the seed have to be hashed for it, so it is made once, when somebody first asks.
      seeded ??= seededImage(parts, empty).catch((error: unknown) => {
        seeded = undefined;
        throw error;
      });
      return seeded;
    },
  };
}

async function seededImage({ seed, ...parts }: SeedParts, empty: Image): Promise<Image> {
  if (!seed) return empty;
  const scratch = openMemoryStore();
  await scratch.transaction((tx) => putImage(tx, empty, new Set()));
  await applySeed(seed, { ...parts, store: scratch });
  return imageOf(scratch);
}
