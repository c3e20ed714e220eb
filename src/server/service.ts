/**
 * One IAM service, running: opens the store, brings it to where it can be administered, and answers calls until stopped.
 * In-process tests and the command both start it here; what belongs to a process (signals, exit codes) is in main.ts.
 */
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { retryLater } from '../contract/errors.ts';
import { servicePrefix } from '../contract/prefix.ts';
import { type AdjustableClock, createAdjustableClock } from './adjustable-clock.ts';
import { createApp } from './app.ts';
import { type AuditLog, type AuditSinks, createAuditLog } from './audit/audit.ts';
import type { Bootstrapped } from './bootstrap.ts';
import type { Clock } from './clock.ts';
import { type Connections, trackConnections } from './http/connections.ts';
import { createNodeServer, type NodeServerOptions, reject } from './http/node-server.ts';
import { createHolderReader, createSourceReader } from './http/request-source.ts';
import { inTurns } from './http/turns.ts';
import { createHashQueue } from './identity/hash-queue.ts';
import { openStoreKey } from './identity/store-key.ts';
import { createIds, type Ids } from './ids.ts';
import type { Log } from './log.ts';
import { operations } from './operations/index.ts';
import { systemTimer, type Timer } from './ports/timer.ts';
import type { Randomness } from './randomness.ts';
import type { SeedDocument } from './seed/schema.ts';
import type { Settings } from './settings.ts';
import { startWarnings } from './start-warnings.ts';
import { begin } from './state/beginnings.ts';
import type { Store } from './store/store.ts';
import { longestTokenOf, openKeyRing } from './tokens/keys.ts';
import { createWorld, type World, type WorldParts } from './world.ts';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** That of the machine where missing. */
  readonly timer?: Timer | undefined;
  readonly seed?: SeedDocument | undefined;
  readonly tls?: NodeServerOptions['tls'];
  /** Sets the clock before anything is dated by it. */
  readonly prepareClock?: ((clock: AdjustableClock) => void) | undefined;
  openStore(): Promise<Store>;
  /** Opens where the audit log goes; there is none where this is missing. */
  openAudit?(settings: Settings): Promise<AuditSinks | undefined>;
}

export interface Service {
  /** Where callers reach it, without a slash at the end. */
  readonly url: string;
  /** The world that answers now. */
  readonly world: World;
  readonly bootstrapped: Bootstrapped;
  /** What is unsafe about this start, in a sentence each. */
  readonly warnings: readonly string[];
  /**
   * Answers from another store, as it is, from the next call on; the same store is read anew, after its rows were
   * changed past the world (signing keys, the store's key). Calls under way end with the world before. Nothing is seeded,
   * and the clock goes on as it was.
   */
  replaceStore(store: Store): Promise<void>;
  /** Finishes the calls under way, writes what is still to be written, and gives port and store back. */
  stop(): Promise<void>;
}

/** How long calls under way may take after a stop was asked for. */
const stopTimeoutMs = 5_000;

/** How often the uses of API keys are written, and so how many of them a crash can lose. */
const usesFlushMs = 60_000;

/** Where passwords are checked, and so where a crowd may find that too many wait already. */
const pathsOfLogins = new Set(
  Object.values(operations)
    .filter(({ errors }) => errors.some((code) => code === 'TOO_BUSY'))
    .map(({ path }) => servicePrefix + path),
);

/**
 * Listens first, so that a taken port is found before anything is written; calls wait until everything is loaded.
 * @throws what listening and opening the store throw; port and store are then given back.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { randomness, settings } = options;
  const clock = createAdjustableClock(options.clock);
  options.prepareClock?.(clock);
  const ids = createIds(clock, randomness);
  // By the time that passes, not by the one that can be set: it says how long hashes take.
  const hashQueue = createHashQueue({
    inFlight: settings.hashesInFlight,
    waiting: settings.hashesWaiting,
    clock: options.clock,
  });
  const gate = createGate();
  const server = await createNodeServer(
    { ...options.settings, tls: options.tls, newRequestId: ids.newRequestId },
    inTurns(gate.listener, {
      crowdedPaths: pathsOfLogins,
      readSource: createSourceReader(settings.trustedProxies),
      // As many as its connections, if it has all of them: more only with several requests sent ahead on each.
      mostWaiting: settings.maxConnections,
      reject: (_request, response) => reject(response, retryLater('TOO_MANY_REQUESTS_WAITING', 1), ids.newRequestId()),
    }),
  );
  const connections = trackConnections(server, {
    maxConnections: settings.maxConnections,
    holderOf: createHolderReader(settings.trustedProxies),
  });
  await listen(server, settings);
  let store: Store | undefined;
  let audit: AuditLog | undefined;
  try {
    store = await options.openStore();
    // Only now is the folder of the store there, and known to be nobody else's.
    const sinks = await options.openAudit?.(settings);
    audit = sinks && createAuditLog(sinks, options.timer ?? systemTimer);
    const { bootstrapped, beginnings } = await begin({ ...options, store, clock, ids, hashQueue });
    const baseUrl = settings.baseUrl ?? addressOf(server, settings);
    const open = (from: Store) =>
      openWorld(from, { ...options, audit, clock, ids, hashQueue, baseUrl, beginnings }, gate);
    let world = await open(store);
    world.outbox.start();
    let replacing: Promise<void> = Promise.resolve();
    async function replaceStore(other: Store): Promise<void> {
      const before = world;
      world = await open(other);
      await before.stopWaiting();
      before.sandboxes.end();
      world.outbox.start();
      if (before.store !== other) await before.store.close();
    }
    const flushing = setInterval(() => {
      void flushUses(world);
      world.sandboxes.sweep();
    }, usesFlushMs).unref();
    return {
      url: world.baseUrl,
      get world() {
        return world;
      },
      bootstrapped,
      warnings: startWarnings({ settings, baseUrl, seed: options.seed }),
      replaceStore(other) {
        const replaced = replacing.then(() => replaceStore(other));
        replacing = replaced.catch(() => undefined);
        return replaced;
      },
      stop: () => stop({ server, connections, world, flushing }),
    };
  } catch (error) {
    server.close();
    connections.endNow();
    await audit?.close();
    await store?.close();
    throw error;
  }
}

type OpenParts = Omit<WorldParts, 'store' | 'storeKey' | 'keys'> & { readonly ids: Ids };

/** A world upon this store, which answers from now on. */
async function openWorld(store: Store, parts: OpenParts, gate: Gate): Promise<World> {
  const { clock, randomness, settings } = parts;
  const keys = await openKeyRing({ store, alg: settings.signingAlg, clock, longestToken: longestTokenOf(settings) });
  const storeKey = await openStoreKey(store, randomness);
  const world = createWorld({ ...parts, store, storeKey, keys });
  gate.open(createApp(world).callback());
  return world;
}

interface Gate {
  readonly listener: RequestListener;
  /** Hands calls on to this one from now on. */
  open(listener: RequestListener): void;
}

/** Holds calls that come before the service is ready. */
function createGate(): Gate {
  let current: RequestListener | undefined;
  const waiting: Parameters<RequestListener>[] = [];
  return {
    listener: (request, response) => (current ? current(request, response) : void waiting.push([request, response])),
    open(listener) {
      current = listener;
      for (const [request, response] of waiting.splice(0)) listener(request, response);
    },
  };
}

function listen(server: Server, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: host.replace(/^\[|\]$/g, ''), port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function addressOf(server: Server, { host, tlsCert }: Settings): string {
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}

interface Running {
  readonly server: Server;
  readonly connections: Connections;
  readonly world: World;
  readonly flushing: NodeJS.Timeout;
}

async function stop({ server, connections, world, flushing }: Running): Promise<void> {
  clearInterval(flushing);
  // Who waits for a message or a call is let go, or the stop would wait for him.
  const delivered = world.stopWaiting();
  world.sandboxes.end();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  connections.endWhenIdle();
  const timer = setTimeout(() => connections.endNow(), stopTimeoutMs);
  await closed;
  clearTimeout(timer);
  await flushUses(world);
  await delivered;
  await world.store.close();
  await world.audit?.close();
  world.insight?.loopDelay.end();
}

async function flushUses({ apiKeyUses, store, log }: World): Promise<void> {
  await apiKeyUses
    .flush(store)
    .catch((error: unknown) => log.warn({ err: error }, 'uses of API keys were not written'));
}
