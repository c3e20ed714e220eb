/** Everything that makes one IAM. The app is made from a world and no module holds state, so several live in one process. */
import type { AdjustableClock } from './adjustable-clock.ts';
import type { AuditLog } from './audit/audit.ts';
import { type ApiKeyUses, createApiKeyUses } from './identity/api-key-uses.ts';
import type { Authentication } from './identity/authenticate.ts';
import { createGrowthLimit, type GrowthLimit, noGrowthLimit } from './identity/growth-limit.ts';
import type { HashQueue } from './identity/hash-queue.ts';
import { createPasswords, type Passwords } from './identity/passwords.ts';
import type { OpenedStoreKey } from './identity/store-key.ts';
import { createThrottles, type Throttles } from './identity/throttles.ts';
import { createIds, type Ids } from './ids.ts';
import { createInsight, type Insight } from './insight/insight.ts';
import type { Log } from './log.ts';
import { createPorts, type Ports } from './ports/ports.ts';
import { systemTimer, type Timer } from './ports/timer.ts';
import type { Randomness } from './randomness.ts';
import { createSandboxes, type Sandboxes } from './sandboxes.ts';
import type { Settings } from './settings.ts';
import type { Beginnings } from './state/beginnings.ts';
import { createState, type State } from './state/state.ts';
import type { Store } from './store/store.ts';
import { createIssuer, type TokenIssuer } from './tokens/issue.ts';
import type { KeyRing } from './tokens/keys.ts';
import { createVerifier, type TokenVerifier } from './tokens/verify.ts';

export interface World extends Authentication, Ports {
  readonly store: Store;
  readonly storeKey: OpenedStoreKey;
  readonly clock: AdjustableClock;
  readonly randomness: Randomness;
  readonly ids: Ids;
  readonly keys: KeyRing;
  readonly settings: Settings;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly issuer: TokenIssuer;
  readonly verifier: TokenVerifier;
  readonly throttles: Throttles;
  /** One for the server and its sandboxes. */
  readonly growthLimit: GrowthLimit;
  readonly passwords: Passwords;
  /** One for the main service and all sandboxes: they share the threads. */
  readonly hashQueue: HashQueue;
  readonly apiKeyUses: ApiKeyUses;
  readonly state: State;
  readonly sandboxes: Sandboxes;
  /** Setting disable-rate-limits: what counts failures and messages counts nothing. */
  readonly disableRateLimits: boolean;
  /** What is kept of calls, and faults; missing without control plane. */
  readonly insight: Insight | undefined;
  /** For what goes by real time. */
  readonly timer: Timer;
  readonly log: Log;
  /** Where decisions are told; missing where that is switched off. */
  readonly audit: AuditLog | undefined;
  /** The name of this sandbox, where it is one. */
  readonly sandbox: string | undefined;
  /** Lets go of who waits for messages or calls, and ends deliveries: nothing of this world is needed any more. */
  stopWaiting(): Promise<void>;
}

/** What a world is made of: everything that has a life outside it. */
export type WorldParts = Pick<
  World,
  'store' | 'storeKey' | 'clock' | 'randomness' | 'keys' | 'settings' | 'log' | 'hashQueue'
> & {
  readonly baseUrl: string;
  /** Goes on with the ids of a world before, so that later ones still come later; new ones where missing. */
  readonly ids?: Ids | undefined;
  readonly beginnings: Beginnings;
  readonly audit?: AuditLog | undefined;
  readonly sandbox?: string | undefined;
  /** That of the machine where missing. */
  readonly timer?: Timer | undefined;
  /** Those of the world; made where they are not given. */
  readonly sandboxes?: Sandboxes;
  /** That of the server, for a sandbox. */
  readonly growthLimit?: GrowthLimit;
};

export function createWorld(parts: WorldParts): World {
  const { clock, randomness, settings, hashQueue, timer = systemTimer } = parts;
  const baseUrl = parts.baseUrl.replace(/\/+$/, '');
  const passwords = createPasswords(hashQueue, { fast: settings.fastPasswords });
  const throttles = createThrottles(clock, { disabled: settings.disableRateLimits });
  const growthLimit = parts.growthLimit ?? growthLimitOf(settings, clock);
  const ids = parts.ids ?? createIds(clock, randomness);
  const ports = createPorts({ ...parts, ids, timer, passwords });
  const insight = createInsight(settings, { timer, hashesWaiting: () => hashQueue.waiting() });
  const apiKeyUses = createApiKeyUses();
  return {
    ...parts,
    audit: parts.audit,
    sandbox: parts.sandbox,
    baseUrl,
    ids,
    timer,
    disableRateLimits: settings.disableRateLimits,
    throttles,
    growthLimit,
    passwords,
    ...ports,
    apiKeyUses,
    sandboxes: parts.sandboxes ?? createSandboxes({ ...parts, growthLimit, baseUrl, createWorld }),
    state: createState({
      ...parts,
      throttles,
      // A sandbox that is reset does not clear what is counted for the server.
      growthLimit: parts.growthLimit ? noGrowthLimit : growthLimit,
      apiKeyUses,
      outbox: ports.outbox,
    }),
    insight,
    stopWaiting() {
      insight?.calls.end();
      return ports.outbox.stop();
    },
    verifier: createVerifier({ keys: parts.keys, clock, issuer: baseUrl }),
    issuer: createIssuer({
      ...settings,
      ...parts,
      issuer: baseUrl,
    }),
  };
}

function growthLimitOf({ growthLimit, disableRateLimits }: Settings, clock: AdjustableClock): GrowthLimit {
  return growthLimit === 0 || disableRateLimits ? noGrowthLimit : createGrowthLimit(clock, growthLimit);
}
