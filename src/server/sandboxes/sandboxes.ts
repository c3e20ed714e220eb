/**
 * Sandboxes: isolated IAMs with separate users, keys, messages, limits and clock. They start with the seed of the server
 * and share its rows (copy on write), so another sandbox is cheap; or with a seed of their own, and then also with
 * bootstrap secrets of their own. They are stored in memory only. shared-parts.ts lists what they share with the server.
 */
import { apiError } from '../../contract/errors.ts';
import type { BootstrapResult } from '../bootstrap.ts';
import type { Settings } from '../config/settings.ts';
import { type AdjustableClock, copyClockState, createAdjustableClock } from '../lib/adjustable-clock.ts';
import type { Ids } from '../lib/ids.ts';
import { createGuardedFetch, type OutgoingFetch } from '../lib/outgoing-fetch.ts';
import type { Random } from '../lib/random.ts';
import type { SeedDocument } from '../seed/schema.ts';
import { type BaselineSource, createSeededBaseline } from '../snapshots/baseline.ts';
import { readRows } from '../snapshots/dump.ts';
import { createCapacity } from '../store/memory/capacity.ts';
import type { HeapGauge } from '../store/memory/heap-gauge.ts';
import { openFork } from '../store/memory/memory-store.ts';
import { Overlay } from '../store/memory/overlay.ts';
import type { Store } from '../store/store.ts';
import { openStoreSecret, type ReloadableStoreSecret } from '../store/store-secret.ts';
import { findLongestTokenLifetime } from '../tokens/generate-key.ts';
import { type KeyRing, openKeyRing } from '../tokens/keys.ts';
import type { HashPassword } from '../users/passwords.ts';
import { withoutExternalSystems, withoutServerSettings } from './sandbox-settings.ts';
import { assertAdministratorsRemain } from './seed-administrators.ts';

export interface SandboxView {
  readonly name: string;
  readonly baseUrl: string;
  readonly createdAt: string;
  /** When it expires, unless it receives a request. */
  readonly expiresAt: string;
}

export interface SeededSandbox<Context> {
  readonly appContext: Context;
  /** The administrators of its own seed, with their generated secrets; empty without one. */
  readonly bootstrapped: Partial<BootstrapResult>;
}

/** Generic in the app context, which contains its sandboxes. */
export interface Sandboxes<Context> {
  /** Ordered by name. */
  list(): readonly SandboxView[];
  /** Finds a sandbox and extends its lifetime. @param changes whether the request may change its state. */
  find(name: string, changes: boolean): Promise<Context> | undefined;
  /** Finds or creates a sandbox. @throws IamError TOO_MANY_SANDBOXES. */
  open(name: string, changes: boolean): Promise<Context>;
  /**
   * Creates a sandbox, with its own seed if there is one instead of that of the server.
   * @throws IamError SANDBOX_EXISTS, TOO_MANY_SANDBOXES; SeedError if the seed can't be applied. Nothing is created then.
   */
  create(name: string, seed: SeedDocument | undefined): Promise<SeededSandbox<Context>>;
  /** @throws IamError SANDBOX_NOT_FOUND. */
  view(name: string): SandboxView;
  /** Deletes a sandbox; running requests complete. @throws IamError SANDBOX_NOT_FOUND. */
  delete(name: string): void;
  /** Deletes idle sandboxes. @returns the app contexts of the others; those that cannot be created reject */
  sweep(): readonly Promise<Context>[];
  /** Deletes all sandboxes. */
  end(): void;
}

/** Valid sandbox names, which are part of paths. */
export const sandboxNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const maxSandboxes = 256;
export const sandboxIdleMinutes = 30;
const idleMs = sandboxIdleMinutes * 60_000;

interface Sandbox<Context> {
  readonly appContext: Promise<Context>;
  readonly createdAt: number;
  usedAt: number;
  /** False while it equals the seed, so that it can be recreated. */
  changed: boolean;
}

/** What a sandbox has separately from the server. */
export interface SandboxParts {
  readonly store: Store;
  readonly storeSecret: ReloadableStoreSecret;
  readonly keys: KeyRing;
  readonly clock: AdjustableClock;
  readonly settings: Settings;
  readonly baseUrl: string;
  /** The name of the sandbox. */
  readonly sandbox: string;
  /** Whether it has a seed of its own. */
  readonly isTenant: boolean;
  /** If it has the hashes of a server with remote access. @throws IamError SEED_ADMINISTRATOR_CHANGED. */
  readonly assertHashesReadable: (() => Promise<void>) | undefined;
  readonly baseline: BaselineSource;
  readonly outgoingFetch: OutgoingFetch;
}

export interface SandboxDeps<Context> {
  /** Of the server. */
  readonly store: Store;
  readonly clock: AdjustableClock;
  readonly random: Random;
  readonly ids: Ids;
  readonly hash: HashPassword;
  readonly settings: Settings;
  readonly baseUrl: string;
  readonly baseline: BaselineSource;
  readonly outgoingFetch: OutgoingFetch;
  /** Bounds the stores of all sandboxes. */
  readonly heap?: HeapGauge | undefined;
  createContext(parts: SandboxParts): Context;
}

export function createSandboxes<Context extends { close(): Promise<void> }>(
  deps: SandboxDeps<Context>,
): Sandboxes<Context> {
  const { clock, baseUrl } = deps;
  const sandboxes = new Map<string, Sandbox<Context>>();
  const outgoingFetch = selectOutgoingFetch(deps);
  const serverSource = createSandboxSource({ ...deps, settings: withoutExternalSystems(deps.settings) }, false);
  // Idle time is real time: adjusting the clock does not affect expiry.
  const now = () => clock.source.now().getTime();

  function findCurrent(name: string): Sandbox<Context> | undefined {
    sweep();
    return sandboxes.get(name);
  }

  function sweep(): void {
    for (const [name, { usedAt }] of sandboxes) if (usedAt + idleMs <= now()) drop(name);
  }

  function drop(name: string): void {
    const sandbox = sandboxes.get(name);
    sandboxes.delete(name);
    // Ends its subscriptions.
    sandbox?.appContext.then((appContext) => appContext.close()).catch(() => undefined);
  }

  function find(name: string, changes: boolean): Promise<Context> | undefined {
    const sandbox = findCurrent(name);
    if (!sandbox) return undefined;
    sandbox.usedAt = now();
    sandbox.changed ||= changes;
    return sandbox.appContext;
  }

  /** Evicts the least recently used unchanged sandbox, so that reads alone can't exhaust the limit. */
  function evictUnchanged(): void {
    if (sandboxes.size < maxSandboxes) return;
    const unchanged = [...sandboxes].filter(([, { changed }]) => !changed);
    const [oldest] = unchanged.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (!oldest) throw apiError('TOO_MANY_SANDBOXES');
    drop(oldest[0]);
  }

  function create(name: string, changes: boolean, source = serverSource): Promise<Context> {
    evictUnchanged();
    const appContext = createSandboxContext({ name, baseUrl: `${baseUrl}/s/${name}` }, source, {
      ...deps,
      outgoingFetch,
    });
    // Store the promise at once, so that concurrent requests share one sandbox.
    sandboxes.set(name, { appContext, createdAt: now(), usedAt: now(), changed: changes });
    appContext.catch(() => sandboxes.get(name)?.appContext === appContext && sandboxes.delete(name));
    return appContext;
  }

  function assertFree(name: string): void {
    if (findCurrent(name)) throw apiError('SANDBOX_EXISTS', `A sandbox ${JSON.stringify(name)} already exists.`);
  }

  async function createNew(name: string, seed: SeedDocument | undefined): Promise<SeededSandbox<Context>> {
    assertFree(name);
    if (!seed) return { appContext: await create(name, true), bootstrapped: {} };
    const settings = withoutServerSettings(deps.settings);
    const { assertSettingsEqual } = await import('../seed/apply-to-server.ts');
    assertSettingsEqual(seed, settings);
    const { baseline, bootstrapped } = await createSeededBaseline(seed, deps.baseline, { ...deps, settings });
    // Applied before the sandbox exists, so that no request sees a sandbox of a rejected seed.
    await baseline.read('seed');
    assertFree(name);
    const appContext = await create(name, true, createSandboxSource({ ...deps, baseline, settings }, true));
    return { appContext, bootstrapped };
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
    create: createNew,
    view,
    delete(name) {
      if (!findCurrent(name)) throw apiError('SANDBOX_NOT_FOUND');
      drop(name);
    },
    sweep() {
      sweep();
      return [...sandboxes.values()].map(({ appContext }) => appContext);
    },
    end() {
      for (const name of [...sandboxes.keys()]) drop(name);
    },
  };
}

/**
 * On a server with remote access, only its administrators choose what the server connects to: the administrator of a
 * sandbox can name the providers of the seed of the server, and public addresses.
 */
function selectOutgoingFetch({ settings, baseline, outgoingFetch }: OutgoingDeps): OutgoingFetch {
  if (!settings.allowRemote) return outgoingFetch;
  const guarded = createGuardedFetch({ networks: settings.sandboxNetworks });
  return async (url, request) => {
    const providers = readRows(await baseline.read('seed'), 'providers');
    const isOfServer = providers.some(
      (provider) => provider.kind === 'oidc' && [provider.jwksUri, provider.tokenEndpoint].includes(url),
    );
    return isOfServer ? outgoingFetch(url, request) : guarded(url, request);
  };
}

type OutgoingDeps = Pick<SandboxDeps<unknown>, 'settings' | 'baseline' | 'outgoingFetch'>;

interface SandboxSource {
  readonly baseline: BaselineSource;
  readonly settings: Settings;
  readonly isTenant: boolean;
  /** Creates a store with the contents of the seed. All share one copy of its rows and indexes. */
  fork(): Promise<Store>;
}

function createSandboxSource({ baseline, settings, heap }: SourceDeps, isTenant: boolean): SandboxSource {
  let base: Promise<Overlay> | undefined;
  return {
    baseline,
    isTenant,
    // A sandbox is in memory, whatever the store of the server.
    settings: { ...settings, store: 'memory' },
    async fork() {
      base ??= loadBaseline(baseline).catch((error: unknown) => {
        base = undefined;
        throw error;
      });
      return openFork(await base, createCapacity(heap));
    },
  };
}

type SourceDeps = Pick<SandboxDeps<unknown>, 'baseline' | 'settings' | 'heap'>;

async function loadBaseline(baseline: BaselineSource): Promise<Overlay> {
  const base = new Overlay('base');
  for (const [name, rows] of await baseline.read('seed')) base.load(name, rows);
  return base;
}

async function createSandboxContext<Context>(
  { name, baseUrl }: Pick<SandboxView, 'name' | 'baseUrl'>,
  { baseline, settings, isTenant, fork }: SandboxSource,
  { createContext, clock: serverClock, random, outgoingFetch, store: serverStore }: SandboxDeps<Context>,
): Promise<Context> {
  const clock = createAdjustableClock(serverClock.source);
  copyClockState(serverClock)(clock);
  clock.markStart();
  const store = await fork();
  const keys = await openKeyRing({
    store,
    alg: settings.signingAlg,
    clock,
    longestToken: findLongestTokenLifetime(settings),
    // Never the configured key: an export of the sandbox contains its key.
  });
  const storeSecret = await openStoreSecret(store, random);
  return createContext({
    clock,
    store,
    storeSecret,
    keys,
    settings,
    baseUrl,
    sandbox: name,
    isTenant,
    assertHashesReadable:
      settings.allowRemote && !isTenant ? async () => assertAdministratorsRemain(await fork(), serverStore) : undefined,
    baseline,
    outgoingFetch,
  });
}

/** The sandboxes of a sandbox: none. */
export const noSandboxes: Sandboxes<never> = {
  list: () => [],
  find: () => undefined,
  open: async () => throwError('PATH_UNKNOWN'),
  create: async () => throwError('PATH_UNKNOWN'),
  view: () => throwError('SANDBOX_NOT_FOUND'),
  delete: () => throwError('SANDBOX_NOT_FOUND'),
  sweep: () => [],
  end: () => undefined,
};

function throwError(code: 'PATH_UNKNOWN' | 'SANDBOX_NOT_FOUND'): never {
  throw apiError(code);
}
