/** Everything that makes one IAM. The app is made from a world and no module holds state, so several live in one process. */
import type { AdjustableClock } from './adjustable-clock.ts';
import type { AuditLog } from './audit/audit.ts';
import { type ApiKeyUses, createApiKeyUses } from './identity/api-key-uses.ts';
import type { Authentication } from './identity/authenticate.ts';
import { createGrowthLimit, type GrowthLimit, noGrowthLimit } from './identity/growth-limit.ts';
import type { HashQueue } from './identity/hash-queue.ts';
import { createPasswords, type Passwords } from './identity/passwords.ts';
import type { ReloadableStoreSecret } from './identity/store-secret.ts';
import { createThrottles, type Throttles } from './identity/throttles.ts';
import { createIds, type Ids } from './ids.ts';
import { createIntegrations, type Integrations } from './integrations/integrations.ts';
import { systemTimer, type Timer } from './integrations/timer.ts';
import type { Log } from './log.ts';
import { createObservability, type Observability } from './observability/observability.ts';
import type { Random } from './random.ts';
import { createSandboxes, type Sandboxes } from './sandboxes.ts';
import type { Settings } from './settings.ts';
import type { BaselineSource } from './state/baseline.ts';
import { createStateManager, type StateManager } from './state/state-manager.ts';
import type { Store } from './store/store.ts';
import { createIssuer, type TokenIssuer } from './tokens/issue.ts';
import type { KeyRing } from './tokens/keys.ts';
import { createVerifier, type TokenVerifier } from './tokens/verify.ts';

export interface AppContext extends Authentication, Integrations {
  readonly store: Store;
  readonly storeSecret: ReloadableStoreSecret;
  readonly clock: AdjustableClock;
  readonly random: Random;
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
  readonly state: StateManager;
  readonly sandboxes: Sandboxes;
  /** Setting disable-rate-limits: what counts failures and messages counts nothing. */
  readonly disableRateLimits: boolean;
  /** What is kept of calls, and faults; missing without control plane. */
  readonly observability: Observability | undefined;
  /** For what goes by real time. */
  readonly timer: Timer;
  readonly log: Log;
  /** Where decisions are told; missing where that is switched off. */
  readonly audit: AuditLog | undefined;
  /** The name of this sandbox, where it is one. */
  readonly sandbox: string | undefined;
  /** Lets go of who waits for messages or calls, and ends deliveries: nothing of this world is needed any more. */
  close(): Promise<void>;
}

/** What a world is made of: everything that has a life outside it. */
export type AppContextDeps = Pick<
  AppContext,
  'store' | 'storeSecret' | 'clock' | 'random' | 'keys' | 'settings' | 'log' | 'hashQueue'
> & {
  readonly baseUrl: string;
  /** Goes on with the ids of a world before, so that later ones still come later; new ones where missing. */
  readonly ids?: Ids | undefined;
  readonly baseline: BaselineSource;
  readonly audit?: AuditLog | undefined;
  readonly sandbox?: string | undefined;
  /** That of the machine where missing. */
  readonly timer?: Timer | undefined;
  /** Those of the world; made where they are not given. */
  readonly sandboxes?: Sandboxes;
  /** That of the server, for a sandbox. */
  readonly growthLimit?: GrowthLimit;
};

export function createAppContext(deps: AppContextDeps): AppContext {
  const { clock, random, settings, hashQueue, timer = systemTimer } = deps;
  const baseUrl = deps.baseUrl.replace(/\/+$/, '');
  const passwords = createPasswords(hashQueue, { fast: settings.fastPasswords });
  const throttles = createThrottles(clock, { disabled: settings.disableRateLimits });
  const growthLimit = deps.growthLimit ?? selectGrowthLimit(settings, clock);
  const ids = deps.ids ?? createIds(clock, random);
  const integrations = createIntegrations({ ...deps, ids, timer, passwords });
  const observability = createObservability(settings, { timer, hashesWaiting: () => hashQueue.waiting() });
  const apiKeyUses = createApiKeyUses();
  return {
    ...deps,
    audit: deps.audit,
    sandbox: deps.sandbox,
    baseUrl,
    ids,
    timer,
    disableRateLimits: settings.disableRateLimits,
    throttles,
    growthLimit,
    passwords,
    ...integrations,
    apiKeyUses,
    sandboxes: deps.sandboxes ?? createSandboxes({ ...deps, growthLimit, baseUrl, createAppContext }),
    state: createStateManager({
      ...deps,
      throttles,
      // A sandbox that is reset does not clear what is counted for the server.
      growthLimit: deps.growthLimit ? noGrowthLimit : growthLimit,
      apiKeyUses,
      outbox: integrations.outbox,
    }),
    observability,
    close() {
      observability?.requestWaiters.end();
      return integrations.outbox.stop();
    },
    verifier: createVerifier({ keys: deps.keys, clock, issuer: baseUrl }),
    issuer: createIssuer({
      ...settings,
      ...deps,
      issuer: baseUrl,
    }),
  };
}

function selectGrowthLimit({ growthLimit, disableRateLimits }: Settings, clock: AdjustableClock): GrowthLimit {
  return growthLimit === 0 || disableRateLimits ? noGrowthLimit : createGrowthLimit(clock, growthLimit);
}
