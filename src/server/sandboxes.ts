/**
 * Sandboxes: whole IAMs beside the main one, each with users, keys, messages, limits and a clock of its own. All begin
 * with what the seed says and share its rows until they change them, so one more costs next to nothing. They live in
 * memory only.
 */
import { apiError } from '../contract/errors.ts';
import { copyClockState, createAdjustableClock } from './adjustable-clock.ts';
import type { AppContext, AppContextDeps } from './app-context.ts';
import { openStoreSecret } from './identity/store-secret.ts';
import type { BaselineSource } from './state/baseline.ts';
import { openFork } from './store/memory.ts';
import { Overlay } from './store/overlay.ts';
import type { Store } from './store/store.ts';
import { findLongestTokenLifetime, openKeyRing } from './tokens/keys.ts';

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
  find(name: string, changes: boolean): Promise<AppContext> | undefined;
  /** The one of this name, made where it is not there. @throws IamError TOO_MANY_SANDBOXES. */
  open(name: string, changes: boolean): Promise<AppContext>;
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
export const sandboxNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const maxSandboxes = 256;
/** So long one is kept that nobody calls. */
export const sandboxIdleMinutes = 30;
const idleMs = sandboxIdleMinutes * 60_000;

interface Sandbox {
  readonly appContext: Promise<AppContext>;
  readonly createdAt: number;
  usedAt: number;
  /** False as long as it is what the seed says: made again, it would be the same. */
  changed: boolean;
}

export interface SandboxDeps extends Omit<AppContextDeps, 'store' | 'storeSecret' | 'keys'> {
  createAppContext(deps: AppContextDeps): AppContext;
}

export function createSandboxes(deps: SandboxDeps): Sandboxes {
  const { clock, baseUrl } = deps;
  const sandboxes = new Map<string, Sandbox>();
  const fork = createStoreForker(deps.baseline);
  // How long nobody called is real time: a clock that was set neither keeps a sandbox nor ends it.
  const now = () => clock.source.now().getTime();

  function findCurrent(name: string): Sandbox | undefined {
    sweep();
    return sandboxes.get(name);
  }

  function sweep(): void {
    for (const [name, { usedAt }] of sandboxes) if (usedAt + idleMs <= now()) drop(name);
  }

  function drop(name: string): void {
    const sandbox = sandboxes.get(name);
    sandboxes.delete(name);
    // Whoever waits in it is let go.
    sandbox?.appContext.then((appContext) => appContext.close()).catch(() => undefined);
  }

  function find(name: string, changes: boolean): Promise<AppContext> | undefined {
    const sandbox = findCurrent(name);
    if (!sandbox) return undefined;
    sandbox.usedAt = now();
    sandbox.changed ||= changes;
    return sandbox.appContext;
  }

  /** Of those that were only read the one that was used last longest ago, so that reads alone can't use all of them up. */
  function evictUnchanged(): void {
    if (sandboxes.size < maxSandboxes) return;
    const unchanged = [...sandboxes].filter(([, { changed }]) => !changed);
    const [oldest] = unchanged.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (!oldest) throw apiError('TOO_MANY_SANDBOXES');
    drop(oldest[0]);
  }

  function create(name: string, changes: boolean): Promise<AppContext> {
    evictUnchanged();
    const appContext = createSandboxContext({ name, baseUrl: `${baseUrl}/s/${name}` }, fork, deps);
    // Noted at once, so that calls that come together find the same one.
    sandboxes.set(name, { appContext, createdAt: now(), usedAt: now(), changed: changes });
    appContext.catch(() => sandboxes.get(name)?.appContext === appContext && sandboxes.delete(name));
    return appContext;
  }

  function view(name: string): SandboxView {
    const sandbox = findCurrent(name);
    if (!sandbox) throw apiError('SANDBOX_NOT_FOUND');
    const [createdAt, expiresAt] = [sandbox.createdAt, sandbox.usedAt + idleMs].map((at) => new Date(at).toISOString());
    return { name, baseUrl: `${baseUrl}/s/${name}`, createdAt: String(createdAt), expiresAt: String(expiresAt) };
  }

  return {
    list() {
      sweep();
      return [...sandboxes.keys()].sort().map(view);
    },
    find,
    open: async (name, changes) => find(name, changes) ?? create(name, changes),
    view,
    delete(name) {
      if (!findCurrent(name)) throw apiError('SANDBOX_NOT_FOUND');
      drop(name);
    },
    sweep,
    end() {
      for (const name of [...sandboxes.keys()]) drop(name);
    },
  };
}

/** Makes stores that begin with the seed. The rows and their indexes are there once, whatever the number of stores. */
function createStoreForker(baseline: BaselineSource): () => Promise<Store> {
  let base: Promise<Overlay> | undefined;
  return async () => {
    base ??= loadBaseline(baseline).catch((error: unknown) => {
      base = undefined;
      throw error;
    });
    return openFork(await base);
  };
}

async function loadBaseline(baseline: BaselineSource): Promise<Overlay> {
  const layer = new Overlay('base');
  for (const [name, rows] of await baseline.read('seed')) layer.load(name, rows);
  return layer;
}

async function createSandboxContext(
  { name, baseUrl }: Pick<SandboxView, 'name' | 'baseUrl'>,
  fork: () => Promise<Store>,
  deps: SandboxDeps,
): Promise<AppContext> {
  const { createAppContext, ...common } = deps;
  const { settings, random } = common;
  const clock = createAdjustableClock(common.clock.source);
  copyClockState(common.clock)(clock);
  const store = await fork();
  const keys = await openKeyRing({
    store,
    alg: settings.signingAlg,
    clock,
    longestToken: findLongestTokenLifetime(settings),
  });
  const storeSecret = await openStoreSecret(store, random);
  const appContext = createAppContext({
    ...common,
    clock,
    store,
    storeSecret,
    keys,
    baseUrl,
    sandboxes: noSandboxes,
    sandbox: name,
  });
  appContext.outbox.start();
  return appContext;
}

/** What a sandbox has: there are none within. */
export const noSandboxes: Sandboxes = {
  list: () => [],
  find: () => undefined,
  open: async () => throwError('PATH_UNKNOWN'),
  view: () => throwError('SANDBOX_NOT_FOUND'),
  delete: () => throwError('SANDBOX_NOT_FOUND'),
  sweep: () => undefined,
  end: () => undefined,
};

function throwError(code: 'PATH_UNKNOWN' | 'SANDBOX_NOT_FOUND'): never {
  throw apiError(code);
}
