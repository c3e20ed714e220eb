/** The app context: everything that makes up one IAM. Modules hold no state, so several contexts can share one process. */

import type { AuditLog } from './audit/audit.ts';
import type { AuditHistory } from './audit/history.ts';
import { type AuditSequence, createAuditSequence } from './audit/sequence.ts';
import { type AuditTrail, createAuditTrail } from './audit/trail.ts';
import type { Authentication } from './auth/authenticate.ts';
import type { Settings } from './config/settings.ts';
import { type ConsoleFilesReader, createConsoleFilesReader } from './console/console-files.ts';
import { type ApiKeyUses, createApiKeyUses } from './directory/api-key-uses.ts';
import { createDisconnectSignals, type DisconnectSignals } from './http/disconnect-signal.ts';
import { createSerializers, type Serializers } from './http/serializer.ts';
import { createIntegrations, type Integrations } from './integrations.ts';
import type { AdjustableClock } from './lib/adjustable-clock.ts';
import { createIds, type Ids } from './lib/ids.ts';
import { type Log, withLogFields } from './lib/log.ts';
import { type OutgoingFetch, systemFetch } from './lib/outgoing-fetch.ts';
import type { Random } from './lib/random.ts';
import type { Subscribers } from './lib/subscribers.ts';
import { systemTimer, type Timer } from './lib/timer.ts';
import { createGrowthLimits, type GrowthLimits, noGrowthLimits } from './limits/growth.ts';
import { type HashQueue, internalFlow } from './limits/hash-queue.ts';
import {
  createServiceStateQueue,
  createStateQueue,
  type ServiceStateQueue,
  type StateQueue,
} from './limits/state-queue.ts';
import { createThrottles, type Throttles } from './limits/throttles.ts';
import type { MessageOutbox } from './messaging/outbox.ts';
import { createObservability, type Observability } from './observability/observability.ts';
import { createPageFilesReader, type PageFilesReader } from './openapi/docs-page-files.ts';
import { createSandboxes, noSandboxes, type Sandboxes, type SandboxParts } from './sandboxes/sandboxes.ts';
import { pickShared } from './sandboxes/shared-parts.ts';
import type { BaselineSource } from './snapshots/baseline.ts';
import { createStateManager, type StateManager } from './snapshots/state-manager.ts';
import type { HeapGauge } from './store/memory/heap-gauge.ts';
import type { Store } from './store/store.ts';
import type { ReloadableStoreSecret } from './store/store-secret.ts';
import { createIssuer, type TokenIssuer } from './tokens/issue.ts';
import type { KeyRing } from './tokens/keys.ts';
import { createVerifier, type TokenVerifier } from './tokens/verify.ts';
import { createDummyHashes } from './users/dummy-hashes.ts';
import { createPasswords, type Passwords } from './users/passwords.ts';

export interface AppContext extends Authentication, Integrations {
  readonly store: Store;
  readonly storeSecret: ReloadableStoreSecret;
  readonly clock: AdjustableClock;
  readonly random: Random;
  readonly ids: Ids;
  readonly keys: KeyRing;
  readonly settings: Settings;
  /** Without trailing slash. */
  readonly baseUrl: string;
  /** The issuer and audience of tokens. */
  readonly issuerUrl: string;
  readonly issuer: TokenIssuer;
  readonly verifier: TokenVerifier;
  readonly throttles: Throttles;
  /** Shared by the server and its sandboxes. */
  readonly growthLimits: GrowthLimits;
  readonly passwords: Passwords;
  /** Shared by the main service and all sandboxes, which share the threads. */
  readonly hashQueue: HashQueue;
  /** Imports and exports of the state: it waits for those of the other services, which share the heap. */
  readonly serviceStateQueue: ServiceStateQueue;
  /** Bounds stores in memory and imports. */
  readonly heap?: HeapGauge | undefined;
  readonly apiKeyUses: ApiKeyUses;
  readonly state: StateManager;
  readonly sandboxes: Sandboxes<AppContext>;
  /** Setting disable-rate-limits: failures and messages are not counted. */
  readonly disableRateLimits: boolean;
  /** Request log, metrics and fault injection; missing without control plane. */
  readonly observability: Observability | undefined;
  /** Shared by the server and its sandboxes. */
  readonly docsPageFiles: PageFilesReader;
  /** Shared by the server and its sandboxes. */
  readonly consoleFiles: ConsoleFilesReader;
  readonly serializers: Serializers;
  readonly disconnectSignals: DisconnectSignals;
  readonly timer: Timer;
  readonly log: Log;
  /** The audit log; missing if it is disabled. */
  readonly audit: AuditLog | undefined;
  /** The events that the control plane lists. */
  readonly auditTrail: AuditTrail;
  /** The name of the sandbox; undefined for the main service. */
  readonly sandbox: string | undefined;
  /** Whether it is a sandbox with its own seed: its administrators may be strangers to the server. */
  readonly isTenant: boolean;
  /** For a sandbox with the hashes of the server: see `assertAdministratorsRemain`. */
  readonly assertHashesReadable: (() => Promise<void>) | undefined;
  /** Closes the context: ends subscriptions to messages and requests, and stops deliveries. */
  close(): Promise<void>;
}

/** The dependencies of an app context that outlive it. */
export type AppContextDeps = Pick<
  AppContext,
  'store' | 'storeSecret' | 'clock' | 'random' | 'keys' | 'settings' | 'log' | 'hashQueue'
> & {
  readonly baseUrl: string;
  /** The id generator of a previous context, so that ids stay ordered; a new one if missing. */
  readonly ids?: Ids | undefined;
  readonly baseline: BaselineSource;
  readonly audit?: AuditLog | undefined;
  /** The files of the audit log; missing if it has none. */
  readonly auditHistory?: AuditHistory | undefined;
  readonly auditSequence?: AuditSequence | undefined;
  readonly sandbox?: string | undefined;
  readonly isTenant?: boolean;
  /** Those of the server, for a sandbox whose password hashes are guessed with each attempt in it. */
  readonly serverThrottles?: Throttles | undefined;
  readonly assertHashesReadable?: (() => Promise<void>) | undefined;
  /** The system timer if missing. */
  readonly timer?: Timer | undefined;
  /** Those of a previous context; created if missing. */
  readonly sandboxes?: Sandboxes<AppContext>;
  /** Those of the server for a sandbox, or of a previous context; created if missing. */
  readonly growthLimits?: GrowthLimits;
  readonly stateQueue?: StateQueue;
  /** Bounds the stores of sandboxes. */
  readonly heap?: HeapGauge | undefined;
  /** Those of the server, for a sandbox. */
  readonly docsPageFiles?: PageFilesReader;
  readonly consoleFiles?: ConsoleFilesReader;
  /** Requests of the URLs of identity providers. Default: that of Node, for URLs of the administrators of the server. */
  readonly outgoingFetch?: OutgoingFetch;
};

export function createAppContext(deps: AppContextDeps): AppContext {
  const { clock, random, settings, hashQueue, timer = systemTimer, outgoingFetch = systemFetch } = deps;
  const baseUrl = deps.baseUrl.replace(/\/+$/, '');
  const issuerUrl = resolveIssuerUrl(settings, baseUrl, deps.sandbox);
  const passwords = createPasswords(hashQueue, {
    fast: settings.fastPasswords,
    dummies: createDummyHashes({ ...deps, clock: clock.source }),
  });
  const throttles = createThrottles(clock, {
    disabled: settings.disableRateLimits,
    loginEvents: deps.store.shared?.loginEvents,
    ofServer: deps.serverThrottles,
  });
  const growthLimits = deps.growthLimits ?? selectGrowthLimits(settings, clock);
  const stateQueue = deps.stateQueue ?? createStateQueue(clock.source);
  const ids = deps.ids ?? createIds(clock, random);
  const integrations = createIntegrations({ ...deps, ids, timer, passwords, outgoingFetch });
  const observability = createObservability(settings, {
    timer,
    startId: ids.newId(),
    machineClock: clock.source,
    hashesWaiting: () => hashQueue.waiting(),
  });
  const unfollow = observability ? followEvents(observability.eventSubscribers, clock, integrations.outbox) : () => {};
  const apiKeyUses = createApiKeyUses();
  const docsPageFiles = deps.docsPageFiles ?? createPageFilesReader();
  const consoleFiles = deps.consoleFiles ?? createConsoleFilesReader();
  const auditSequence = deps.auditSequence ?? createAuditSequence();
  const createSandbox = (parts: SandboxParts) => {
    const shared = pickShared({
      ...{ ...deps, ids, timer, growthLimits, stateQueue, docsPageFiles, consoleFiles, auditSequence },
    });
    // On a loopback server everyone may read the hashes, and tests of throttles must not affect each other.
    const serverThrottles = parts.isTenant || !settings.allowRemote ? undefined : throttles;
    const log = withLogFields(deps.log, { sandbox: parts.sandbox });
    const ownIds = ids.sequence?.fork() ?? ids;
    const own = { ids: ownIds, log, serverThrottles, sandboxes: noSandboxes };
    const appContext = createAppContext({ ...shared, ...parts, ...own });
    ownIds.sequence?.markStart();
    appContext.outbox.start();
    return appContext;
  };
  return {
    ...deps,
    audit: deps.audit,
    auditTrail: createAuditTrail({
      server: deps.store.shared?.replica,
      sandbox: deps.sandbox,
      sequence: auditSequence,
      history: deps.auditHistory,
      ...(observability ? { onAdded: observability.eventSubscribers.notify } : {}),
    }),
    sandbox: deps.sandbox,
    isTenant: deps.isTenant === true,
    assertHashesReadable: deps.assertHashesReadable,
    baseUrl,
    issuerUrl,
    ids,
    timer,
    disableRateLimits: settings.disableRateLimits,
    throttles,
    growthLimits,
    serviceStateQueue: createServiceStateQueue(stateQueue, deps.sandbox, clock.source),
    passwords,
    ...integrations,
    apiKeyUses,
    sandboxes:
      deps.sandboxes ??
      createSandboxes({
        ...deps,
        ids,
        baseUrl,
        outgoingFetch,
        hash: (password) => passwords.asSent.hash(password, internalFlow),
        createContext: createSandbox,
      }),
    state: createStateManager({
      ...deps,
      ids,
      throttles,
      // Resetting a sandbox does not clear the counts of the server.
      growthLimits: deps.sandbox === undefined ? growthLimits : noGrowthLimits,
      apiKeyUses,
      outbox: integrations.outbox,
    }),
    observability,
    docsPageFiles,
    consoleFiles,
    serializers: createSerializers(),
    disconnectSignals: createDisconnectSignals(),
    close() {
      observability?.requestWaiters.end();
      observability?.eventSubscribers.end();
      observability?.faults.end();
      unfollow();
      deps.keys.close();
      return integrations.outbox.stop();
    },
    verifier: createVerifier({ keys: deps.keys, clock, issuer: issuerUrl }),
    issuer: createIssuer({
      ...settings,
      ...deps,
      issuer: issuerUrl,
    }),
  };
}

/** The setting is used as given: an issuer is compared as text. A sandbox has its own issuer below it. */
function resolveIssuerUrl({ issuer }: Settings, baseUrl: string, sandbox: string | undefined): string {
  if (issuer === undefined) return baseUrl;
  return sandbox === undefined ? issuer : `${issuer.replace(/\/+$/, '')}/s/${sandbox}`;
}

function selectGrowthLimits(settings: Settings, clock: AdjustableClock): GrowthLimits {
  if (settings.disableRateLimits) return noGrowthLimits;
  return createGrowthLimits(clock, {
    network: settings.growthLimit,
    owner: settings.growthLimitOwner,
    ownersOfNetwork: settings.growthLimitOwners,
  });
}

/** Notifies subscribers of changes to the clock, and of messages. @returns a function that stops this. */
function followEvents(subscribers: Subscribers, clock: AdjustableClock, outbox: MessageOutbox): () => void {
  const stops = [clock.onAdjust(subscribers.notify), outbox.onNotify(subscribers.notify, subscribers.isWaited)];
  return () => {
    for (const stop of stops) stop();
  };
}
