/**
 * One IAM service, running: opens the store, brings it to where it can be administered, and answers calls until stopped.
 * In-process tests and the command both start it here; what belongs to a process (signals, exit codes) is in main.ts.
 */
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { retryLater } from '../../contract/errors.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { type AdjustableClock, createAdjustableClock } from '../adjustable-clock.ts';
import { createApp } from '../app.ts';
import { type AppContext, type AppContextDeps, createAppContext } from '../app-context.ts';
import { type AuditLog, type AuditSinks, createAuditLog } from '../audit/audit.ts';
import type { BootstrapResult } from '../bootstrap.ts';
import type { Clock } from '../clock.ts';
import { createHashQueue } from '../identity/hash-queue.ts';
import { openStoreSecret } from '../identity/store-secret.ts';
import { createIds, type Ids } from '../ids.ts';
import { systemTimer, type Timer } from '../integrations/timer.ts';
import type { Log } from '../log.ts';
import { operations } from '../operations/index.ts';
import type { Random } from '../random.ts';
import type { SeedDocument } from '../seed/schema.ts';
import type { Settings } from '../settings.ts';
import { collectStartWarnings } from '../start-warnings.ts';
import { initializeStore } from '../state/baseline.ts';
import type { Store } from '../store/store.ts';
import { findLongestTokenLifetime, openKeyRing } from '../tokens/keys.ts';
import { createAdmission } from './admission.ts';
import { type Connections, trackConnections } from './connections.ts';
import { createNodeServer, type NodeServerOptions, rejectRequest } from './node-server.ts';
import { createNetworkReader, createSourceReader } from './request-source.ts';

export interface ListenOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
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

export interface RunningServer {
  /** Where callers reach it, without a slash at the end. */
  readonly url: string;
  /** The world that answers now. */
  readonly appContext: AppContext;
  readonly bootstrapResult: BootstrapResult;
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
const apiKeyUsesFlushMs = 60_000;

/** Where passwords are checked, and so where a crowd may find that too many wait already. */
const loginPaths = new Set(
  Object.values(operations)
    .filter(({ errors }) => errors.some((code) => code === 'TOO_BUSY'))
    .map(({ path }) => servicePrefix + path),
);

/**
 * Listens first, so that a taken port is found before anything is written; calls wait until everything is loaded.
 * @throws what listening and opening the store throw; port and store are then given back.
 */
export async function listen(options: ListenOptions): Promise<RunningServer> {
  const { random, settings } = options;
  const clock = createAdjustableClock(options.clock);
  options.prepareClock?.(clock);
  const ids = createIds(clock, random);
  // By the time that passes, not by the one that can be set: it says how long hashes take.
  const hashQueue = createHashQueue({
    concurrency: settings.hashConcurrency,
    maxWaiting: settings.hashQueueSize,
    clock: options.clock,
  });
  const gate = createGate();
  const server = await createNodeServer(
    { ...options.settings, tls: options.tls, newRequestId: ids.newRequestId },
    createAdmission(gate.listener, {
      slowPaths: loginPaths,
      readSource: createSourceReader(settings.trustedProxies),
      // As many as its connections, if it has all of them: more only with several requests sent ahead on each.
      maxQueued: settings.maxConnections,
      reject: (_request, response) =>
        rejectRequest(response, retryLater('TOO_MANY_REQUESTS_WAITING', 1), ids.newRequestId()),
    }),
  );
  const connections = trackConnections(server, {
    maxConnections: settings.maxConnections,
    networkOf: createNetworkReader(settings.trustedProxies),
  });
  await bindServer(server, settings);
  let store: Store | undefined;
  let audit: AuditLog | undefined;
  try {
    store = await options.openStore();
    // Only now is the folder of the store there, and known to be nobody else's.
    const sinks = await options.openAudit?.(settings);
    audit = sinks && createAuditLog(sinks, options.timer ?? systemTimer);
    const { bootstrapped: bootstrapResult, baseline: beginnings } = await initializeStore({
      ...options,
      store,
      clock,
      ids,
      hashQueue,
    });
    const baseUrl = settings.baseUrl ?? formatServerUrl(server, settings);
    const open = (from: Store) =>
      openAppContext(from, { ...options, audit, clock, ids, hashQueue, baseUrl, baseline: beginnings }, gate);
    let appContext = await open(store);
    appContext.outbox.start();
    let lastReplacement: Promise<void> = Promise.resolve();
    async function replaceStore(other: Store): Promise<void> {
      const previous = appContext;
      appContext = await open(other);
      await previous.close();
      previous.sandboxes.end();
      appContext.outbox.start();
      if (previous.store !== other) await previous.store.close();
    }
    const flushTimer = setInterval(() => {
      void flushUses(appContext);
      appContext.sandboxes.sweep();
    }, apiKeyUsesFlushMs).unref();
    return {
      url: appContext.baseUrl,
      get appContext() {
        return appContext;
      },
      bootstrapResult,
      warnings: collectStartWarnings({ settings, baseUrl, seed: options.seed }),
      replaceStore(other) {
        const replacement = lastReplacement.then(() => replaceStore(other));
        lastReplacement = replacement.catch(() => undefined);
        return replacement;
      },
      stop: () => stopServer({ server, connections, appContext, flushTimer }),
    };
  } catch (error) {
    server.close();
    connections.closeAll();
    await audit?.close();
    await store?.close();
    throw error;
  }
}

type OpenContextDeps = Omit<AppContextDeps, 'store' | 'storeSecret' | 'keys'> & { readonly ids: Ids };

/** A world upon this store, which answers from now on. */
async function openAppContext(store: Store, parts: OpenContextDeps, gate: Gate): Promise<AppContext> {
  const { clock, random, settings } = parts;
  const keys = await openKeyRing({
    store,
    alg: settings.signingAlg,
    clock,
    longestToken: findLongestTokenLifetime(settings),
  });
  const storeSecret = await openStoreSecret(store, random);
  const appContext = createAppContext({ ...parts, store, storeSecret, keys });
  gate.open(createApp(appContext).callback());
  return appContext;
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

function bindServer(server: Server, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: host.replace(/^\[|\]$/g, ''), port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function formatServerUrl(server: Server, { host, tlsCert }: Settings): string {
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}

interface StopOptions {
  readonly server: Server;
  readonly connections: Connections;
  readonly appContext: AppContext;
  readonly flushTimer: NodeJS.Timeout;
}

async function stopServer({ server, connections, appContext, flushTimer }: StopOptions): Promise<void> {
  clearInterval(flushTimer);
  // Who waits for a message or a call is let go, or the stop would wait for him.
  const delivered = appContext.close();
  appContext.sandboxes.end();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  connections.closeWhenIdle();
  const timer = setTimeout(() => connections.closeAll(), stopTimeoutMs);
  await closed;
  clearTimeout(timer);
  await flushUses(appContext);
  await delivered;
  await appContext.store.close();
  await appContext.audit?.close();
  appContext.observability?.loopDelay.stop();
}

async function flushUses({ apiKeyUses, store, log }: AppContext): Promise<void> {
  await apiKeyUses
    .flush(store)
    .catch((error: unknown) => log.warn({ err: error }, 'uses of API keys were not written'));
}
