/**
 * Runs one IAM service: opens the store, bootstraps it, and serves requests until stopped.
 * In-process tests and the command both start it here; process handling (signals, exit codes) is in main.ts.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PlainErrorCode, retryLater } from '../contract/errors.ts';
import { servicePrefix } from '../contract/prefix.ts';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../lib/host.ts';
import { createRequestListener } from './app.ts';
import { type AppContext, type AppContextDeps, createAppContext } from './app-context.ts';
import { type AuditLog, createAuditLog } from './audit/audit.ts';
import { createAuditHistory } from './audit/history.ts';
import type { OpenedAudit } from './audit/open.ts';
import { createAuditSequence } from './audit/sequence.ts';
import type { BootstrapResult } from './bootstrap.ts';
import type { Settings } from './config/settings.ts';
import { createNodeServer, type NodeServerOptions, rejectRequest } from './http/node-server.ts';
import { splitTarget } from './http/paths.ts';
import { type AdjustableClock, createAdjustableClock } from './lib/adjustable-clock.ts';
import type { Clock } from './lib/clock.ts';
import { createIds, createReplicaName, type Ids } from './lib/ids.ts';
import type { Log } from './lib/log.ts';
import type { Random } from './lib/random.ts';
import { createNetworkReader, createSourceReader } from './lib/request-source.ts';
import { systemTimer, type Timer } from './lib/timer.ts';
import { createAdmission } from './limits/admission.ts';
import { type Connections, trackConnections } from './limits/connections/connections.ts';
import { boundConnections, readDescriptorLimit } from './limits/connections/descriptor-limit.ts';
import { createHashQueue } from './limits/hash-queue.ts';
import { deleteDecoyMessages } from './mfa/otp-decoys.ts';
import { operations } from './operations/index.ts';
import type { ReportHashes } from './seed/passwords.ts';
import type { SeedDocument } from './seed/schema.ts';
import { deleteUsedTokens } from './sessions/delete-used-tokens.ts';
import { initializeStore } from './snapshots/baseline.ts';
import type { DumpTables } from './snapshots/dump.ts';
import { collectStartWarnings } from './start-warnings.ts';
import { type HeapGauge, observeHeap } from './store/memory/heap-gauge.ts';
import type { ServerIdentity } from './store/open.ts';
import type { Store } from './store/store.ts';
import { openStoreSecret } from './store/store-secret.ts';
import { findLongestTokenLifetime } from './tokens/generate-key.ts';
import { openKeyRing } from './tokens/keys.ts';
import { type ConfiguredSigningKey, readSigningKeyFile } from './tokens/signing-key-file.ts';

export interface ListenOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Default: the system timer. */
  readonly timer?: Timer | undefined;
  readonly seed?: SeedDocument | undefined;
  /** Called while the passwords of the seed are hashed. */
  readonly reportHashes?: ReportHashes | undefined;
  readonly tls?: NodeServerOptions['tls'];
  /** Whether the open server keeps the process running, as `ref` and `unref` of node:net. Default: true. */
  readonly ref?: boolean | undefined;
  /** Sets the clock before anything reads it. */
  readonly prepareClock?: ((clock: AdjustableClock) => void) | undefined;
  /** The state that resets return to, for an initialized store. Default: bootstrap data and the seed. */
  readonly readInitialState?: (() => Promise<DumpTables>) | undefined;
  /** Default: ids by time and random. */
  readonly ids?: Ids | undefined;
  /** For tests: a shorter queue of password hashes. */
  readonly maxWaitingHashes?: number | undefined;
  /** For tests: a shorter grace period for requests in progress. Default: `stopTimeoutMs`. */
  readonly stopTimeoutMs?: number | undefined;
  /** @param heap bounds a store in memory, until the server stops */
  openStore(server: ServerIdentity, heap: HeapGauge): Promise<Store>;
  /** Opens the sinks of the audit log. Without it there is no audit log. */
  openAudit?(settings: Settings): Promise<OpenedAudit | undefined>;
}

export interface RunningServer {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** The URL of the address that it listens on, which differs behind a balancer. */
  readonly listenUrl: string;
  /** The app context in use; `replaceStore` replaces it. */
  readonly appContext: AppContext;
  readonly bootstrapResult: BootstrapResult;
  /** Warnings about unsafe settings, one sentence each. */
  readonly warnings: readonly string[];
  /**
   * Serves from another store from the next request on. With the same store, reloads what the app context caches of it
   * (signing keys, the store secret). Requests in progress finish with the previous app context. Does not seed; the clock
   * and the sandboxes are unchanged.
   */
  replaceStore(store: Store): Promise<void>;
  /** Finishes requests in progress, rejects others, flushes pending writes, and releases the store, then the port. */
  stop(): Promise<void>;
}

/** Grace period for requests in progress after a stop is requested. */
export const stopTimeoutMs = 5_000;

/** Interval of the work that is not part of a request. A crash loses the uses of API keys since the last one. */
const cleanupIntervalMs = 60_000;

/** Paths of operations that hash passwords and can return TOO_BUSY. */
const loginPaths = new Set(
  Object.values(operations)
    .filter(({ errors }) => errors.some((code) => code === 'TOO_BUSY'))
    .map(({ path }) => servicePrefix + path),
);

/**
 * Listens first, so that a port in use is detected before anything is written; requests wait until everything is loaded.
 * @throws errors of listening and of opening the store; port and store are then released.
 */
export async function listen(options: ListenOptions): Promise<RunningServer> {
  const { random, settings } = options;
  const configuredKey = await readSigningKeyFile(settings);
  const clock = createAdjustableClock(options.clock);
  options.prepareClock?.(clock);
  clock.markStart();
  // Only servers on a database can have others beside them.
  const replica = settings.store === 'postgres' ? createReplicaName(random) : undefined;
  const ids = options.ids ?? createIds(clock, random, replica);
  // Uses the real clock, not the adjustable one: it measures how long hashes take.
  const hashQueue = createHashQueue({
    concurrency: settings.hashConcurrency,
    maxWaiting: options.maxWaitingHashes,
    clock: options.clock,
  });
  const gate = createGate();
  const listener = await openListener(options, gate, ids);
  const { server, connections } = listener;
  const heap = observeHeap();
  let store: Store | undefined;
  let audit: AuditLog | undefined;
  try {
    const baseUrl = settings.baseUrl ?? formatServerUrl(server, settings);
    store = await options.openStore({ replica: replica ?? '', issuer: settings.issuer ?? baseUrl }, heap);
    // Opening the store has created and locked its folder.
    const sinks = await options.openAudit?.(settings);
    const auditHistory = sinks?.files && createAuditHistory(sinks.files, sinks);
    const auditSequence = createAuditSequence(await auditHistory?.findLastSequence());
    audit = sinks && createAuditLog(sinks, options.timer ?? systemTimer, auditSequence);
    const setUp = async (opened: Store) => {
      const { bootstrapped, baseline } = await initializeStore({ ...options, store: opened, clock, ids, hashQueue });
      const auditParts = { audit, auditHistory, auditSequence };
      const deps = { ...options, ...auditParts, clock, ids, hashQueue, baseUrl, baseline, configuredKey, heap };
      const open = (from: Store, kept: KeptParts = {}) => openAppContext(from, { ...deps, ...kept }, gate);
      return { bootstrapResult: bootstrapped, open, first: await open(opened) };
    };
    const { bootstrapResult, open, first } = await runSetUp(store, setUp);
    const warnings = [
      ...collectStartWarnings({ settings, baseUrl, seed: options.seed, signingKey: configuredKey }),
      ...(store.startWarnings ?? []),
    ];
    const graceMs = options.stopTimeoutMs ?? stopTimeoutMs;
    return runServer({ first, open, listener, heap, bootstrapResult, warnings, graceMs });
  } catch (error) {
    server.close();
    connections.closeAll();
    await audit?.close();
    await store?.close();
    heap.close();
    throw error;
  }
}

interface Listener {
  readonly server: Server;
  readonly connections: Connections;
  /** Rejects later requests. */
  endAdmission(): void;
}

/** Opens the port. @throws errors of listening */
async function openListener(options: ListenOptions, gate: Gate, { newRequestId }: Ids): Promise<Listener> {
  const { settings, tls } = options;
  const maxConnections = boundConnections(settings.maxConnections, await readDescriptorLimit());
  const rejectWith = (code: PlainErrorCode) => (_request: IncomingMessage, response: ServerResponse) =>
    rejectRequest(response, retryLater(code, 1), newRequestId());
  let admit = createAdmission(gate.listener, {
    isSlow: ({ method, url = '' }) => method === 'POST' && loginPaths.has(splitTarget(url).path),
    readSource: createSourceReader(settings.trustedProxies),
    // Enough for a source that uses all connections; only pipelined requests can exceed it.
    maxQueued: maxConnections,
    reject: rejectWith('TOO_MANY_REQUESTS_WAITING'),
  });
  const server = await createNodeServer({ ...settings, tls, newRequestId }, (...exchange) => admit(...exchange));
  const connections = trackConnections(server, {
    maxConnections,
    networkOf: createNetworkReader(settings.trustedProxies),
  });
  if (options.ref === false) unrefServer(server);
  await bindServer(server, settings);
  const endAdmission = () => {
    admit = rejectWith('STORE_UNAVAILABLE');
  };
  return { server, connections, endAdmission };
}

interface RunOptions extends Pick<RunningServer, 'bootstrapResult' | 'warnings'> {
  readonly first: AppContext;
  open(store: Store, kept: KeptParts): Promise<AppContext>;
  readonly listener: Listener;
  readonly heap: HeapGauge;
  readonly graceMs: number;
}

/** Starts what runs beside the requests, and returns the functions of the running server. */
function runServer(options: RunOptions): RunningServer {
  const { first, open, listener, heap, bootstrapResult, warnings, graceMs } = options;
  let appContext = first;
  let lastReplacement: Promise<void> = Promise.resolve();
  appContext.outbox.start();
  async function replaceStore(other: Store): Promise<void> {
    const previous = appContext;
    const { sandboxes, growthLimits } = previous;
    appContext = await open(other, { sandboxes, growthLimits });
    growthLimits.clear();
    await previous.close();
    appContext.outbox.start();
    if (previous.store !== other) await previous.store.close();
  }
  const cleanupTimer = setInterval(() => {
    void flushUses(appContext);
    void deleteUnusedRows(appContext);
    for (const sandbox of appContext.sandboxes.sweep()) sandbox.then(deleteUnusedRows).catch(() => undefined);
  }, cleanupIntervalMs).unref();
  return {
    url: appContext.baseUrl,
    listenUrl: formatServerUrl(listener.server, appContext.settings),
    get appContext() {
      return appContext;
    },
    bootstrapResult,
    warnings,
    replaceStore(other) {
      const replacement = lastReplacement.then(() => replaceStore(other));
      lastReplacement = replacement.catch(() => undefined);
      return replacement;
    },
    async stop() {
      await stopServer({ ...listener, appContext, cleanupTimer, graceMs });
      heap.close();
    },
  };
}

type KeptParts = Partial<Pick<AppContextDeps, 'sandboxes' | 'growthLimits'>>;

/** Of several servers that start on one store, one at a time sets it up; the others find everything done. */
function runSetUp<Result>(store: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  return store.shared ? store.shared.runAlone('setup', () => work(store)) : work(store);
}

type OpenContextDeps = Omit<AppContextDeps, 'store' | 'storeSecret' | 'keys'> & {
  readonly ids: Ids;
  readonly configuredKey: ConfiguredSigningKey | undefined;
};

/** Creates an app context for this store and routes requests to it. */
async function openAppContext(
  store: Store,
  { configuredKey, ...deps }: OpenContextDeps,
  gate: Gate,
): Promise<AppContext> {
  const { clock, random, settings } = deps;
  const keys = await openKeyRing({
    store,
    alg: settings.signingAlg,
    clock,
    longestToken: findLongestTokenLifetime(settings),
    configuredKey,
    timer: deps.timer,
  });
  const storeSecret = await openStoreSecret(store, random);
  const appContext = createAppContext({ ...deps, store, storeSecret, keys });
  gate.open(createRequestListener(appContext));
  return appContext;
}

interface Gate {
  readonly listener: RequestListener;
  /** Sends waiting and later requests to this listener. */
  open(listener: RequestListener): void;
}

/** Queues requests until the service is ready. */
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

/** Lets the process end while the server and its connections are open. */
function unrefServer(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
}

function formatServerUrl(server: Server, { host, tlsCert }: Settings): string {
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}

interface StopOptions extends Listener {
  readonly appContext: AppContext;
  readonly cleanupTimer: NodeJS.Timeout;
  readonly graceMs: number;
}

/** Gives the port away last: what listens there next gets the secrets of clients that see the process still run. */
async function stopServer({ server, connections, ...options }: StopOptions): Promise<void> {
  try {
    await endWork({ connections, ...options });
  } finally {
    const closed = new Promise((resolve) => server.close(resolve));
    connections.closeAll();
    await closed;
  }
}

async function endWork({
  connections,
  endAdmission,
  appContext,
  cleanupTimer,
  graceMs,
}: Omit<StopOptions, 'server'>): Promise<void> {
  clearInterval(cleanupTimer);
  endAdmission();
  // Ends long polls and streams first; otherwise the stop would wait for them.
  const delivered = appContext.close();
  appContext.sandboxes.end();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, graceMs);
    connections.closeWhenIdle(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  connections.closeAll();
  await flushUses(appContext);
  // A shared database may be out of reach, and the other servers delete them.
  if (!appContext.store.shared) await deleteUnusedRows(appContext);
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

/** Rows that mean nothing any more, and whose deletion is part of no request. */
async function deleteUnusedRows({ store, random, log }: AppContext): Promise<void> {
  await deleteDecoyMessages(store)
    .then(() => deleteUsedTokens(store, random))
    .catch((error: unknown) => log.warn({ err: error }, 'unused rows were not deleted, will retry'));
}
