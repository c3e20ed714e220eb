/**
 * Sandboxes: whole IAMs beside the main one, each with users, keys, messages, limits and a clock of its own. All begin
 * with what the seed says and share its rows until they change them, so one more costs next to nothing. They live in
 * memory only.
 */
import { fault } from '../contract/errors.ts';
import { createAdjustableClock, sameTimeAs } from './adjustable-clock.ts';
import { openStoreKey } from './identity/store-key.ts';
import type { Beginnings } from './state/beginnings.ts';
import { Layer } from './store/layer.ts';
import { openFork } from './store/memory.ts';
import type { Store } from './store/store.ts';
import { longestTokenOf, openKeyRing } from './tokens/keys.ts';
import type { World, WorldParts } from './world.ts';

export interface SandboxView {
  readonly name: string;
  readonly baseUrl: string;
  readonly createdAt: string;
  /** When it will be gone, unless it is called before. */
  readonly expiresAt: string;
}

export interface Sandboxes {
  /** Ordered by name. */
  list(): readonly SandboxView[];
  /** The one of this name, which counts as a use of it; `changes`: the request may change something in it. */
  find(name: string, changes: boolean): Promise<World> | undefined;
  /** The one of this name, made where it is not there. @throws IamError TOO_MANY_SANDBOXES. */
  open(name: string, changes: boolean): Promise<World>;
  /** @throws IamError SANDBOX_NOT_FOUND. */
  view(name: string): SandboxView;
  /** Calls under way end as they would. @throws IamError SANDBOX_NOT_FOUND. */
  delete(name: string): void;
  /** Lets go of those that nobody called for long. */
  sweep(): void;
  /** Deletes all. */
  end(): void;
}

/** What a sandbox may be called: it stands in paths. */
export const sandboxName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const mostSandboxes = 256;
/** So long one is kept that nobody calls. */
export const sandboxIdleMinutes = 30;
const idleMs = sandboxIdleMinutes * 60_000;

interface Sandbox {
  readonly world: Promise<World>;
  readonly createdAt: number;
  usedAt: number;
  /** False as long as it is what the seed says: made again, it would be the same. */
  changed: boolean;
}

export interface SandboxParts extends Omit<WorldParts, 'store' | 'storeKey' | 'keys'> {
  createWorld(parts: WorldParts): World;
}

export function createSandboxes(parts: SandboxParts): Sandboxes {
  const { clock, baseUrl } = parts;
  const kept = new Map<string, Sandbox>();
  const fork = createForks(parts.beginnings);
  // How long nobody called is real time: a clock that was set neither keeps a sandbox nor ends it.
  const now = () => clock.behind.now().getTime();

  function current(name: string): Sandbox | undefined {
    sweep();
    return kept.get(name);
  }

  function sweep(): void {
    for (const [name, { usedAt }] of kept) if (usedAt + idleMs <= now()) drop(name);
  }

  function drop(name: string): void {
    const sandbox = kept.get(name);
    kept.delete(name);
    // Whoever waits in it is let go.
    sandbox?.world.then((world) => world.stopWaiting()).catch(() => undefined);
  }

  function find(name: string, changes: boolean): Promise<World> | undefined {
    const sandbox = current(name);
    if (!sandbox) return undefined;
    sandbox.usedAt = now();
    sandbox.changed ||= changes;
    return sandbox.world;
  }

  /** Of those that were only read the one that was used last longest ago, so that reads alone can't use all of them up. */
  function makeRoom(): void {
    if (kept.size < mostSandboxes) return;
    const unchanged = [...kept].filter(([, { changed }]) => !changed);
    const [oldest] = unchanged.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (!oldest) throw fault('TOO_MANY_SANDBOXES');
    drop(oldest[0]);
  }

  function make(name: string, changes: boolean): Promise<World> {
    makeRoom();
    const world = makeWorld({ name, baseUrl: `${baseUrl}/s/${name}` }, fork, parts);
    // Noted at once, so that calls that come together find the same one.
    kept.set(name, { world, createdAt: now(), usedAt: now(), changed: changes });
    world.catch(() => kept.get(name)?.world === world && kept.delete(name));
    return world;
  }

  function view(name: string): SandboxView {
    const sandbox = current(name);
    if (!sandbox) throw fault('SANDBOX_NOT_FOUND');
    const [createdAt, expiresAt] = [sandbox.createdAt, sandbox.usedAt + idleMs].map((at) => new Date(at).toISOString());
    return { name, baseUrl: `${baseUrl}/s/${name}`, createdAt: String(createdAt), expiresAt: String(expiresAt) };
  }

  return {
    list() {
      sweep();
      return [...kept.keys()].sort().map(view);
    },
    find,
    open: async (name, changes) => find(name, changes) ?? make(name, changes),
    view,
    delete(name) {
      if (!current(name)) throw fault('SANDBOX_NOT_FOUND');
      drop(name);
    },
    sweep,
    end() {
      for (const name of [...kept.keys()]) drop(name);
    },
  };
}

/** Makes stores that begin with the seed. The rows and their indexes are there once, whatever the number of stores. */
function createForks(beginnings: Beginnings): () => Promise<Store> {
  let base: Promise<Layer> | undefined;
  return async () => {
    base ??= layerOf(beginnings).catch((error: unknown) => {
      base = undefined;
      throw error;
    });
    return openFork(await base);
  };
}

async function layerOf(beginnings: Beginnings): Promise<Layer> {
  const layer = new Layer('bottom');
  for (const [name, rows] of await beginnings.imageOf('seed')) layer.load(name, rows);
  return layer;
}

async function makeWorld(
  { name, baseUrl }: Pick<SandboxView, 'name' | 'baseUrl'>,
  fork: () => Promise<Store>,
  parts: SandboxParts,
): Promise<World> {
  const { createWorld, ...common } = parts;
  const { settings, randomness } = common;
  const clock = createAdjustableClock(common.clock.behind);
  sameTimeAs(common.clock)(clock);
  const store = await fork();
  const keys = await openKeyRing({ store, alg: settings.signingAlg, clock, longestToken: longestTokenOf(settings) });
  const storeKey = await openStoreKey(store, randomness);
  const world = createWorld({
    ...common,
    clock,
    store,
    storeKey,
    keys,
    baseUrl,
    sandboxes: noSandboxes,
    sandbox: name,
  });
  world.outbox.start();
  return world;
}

/** What a sandbox has: there are none within. */
export const noSandboxes: Sandboxes = {
  list: () => [],
  find: () => undefined,
  open: async () => refuse('PATH_UNKNOWN'),
  view: () => refuse('SANDBOX_NOT_FOUND'),
  delete: () => refuse('SANDBOX_NOT_FOUND'),
  sweep: () => undefined,
  end: () => undefined,
};

function refuse(code: 'PATH_UNKNOWN' | 'SANDBOX_NOT_FOUND'): never {
  throw fault(code);
}
