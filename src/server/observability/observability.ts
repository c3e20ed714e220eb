/** Observability of a running server: request log, coverage, metrics and fault injection. Part of the control plane. */

import { hasTestFeatures, type Settings } from '../config/settings.ts';
import { createFaultInjector, type FaultInjector } from '../fault-injection/fault-injector.ts';
import { createLoopDelay, type LoopDelay, type Stopwatch, systemStopwatch } from '../lib/stopwatch.ts';
import { createSubscribers, type Subscribers } from '../lib/subscribers.ts';
import type { Timer } from '../lib/timer.ts';
import { type CoverageCounters, createCoverageCounters } from './coverage.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';

export interface Observability {
  readonly requestLog: RequestLog;
  /** Subscribers that wait for requests. */
  readonly requestWaiters: Subscribers;
  /** Since the start or the last reset. */
  readonly coverage: CoverageCounters;
  readonly faults: FaultInjector;
  readonly stopwatch: Stopwatch;
  readonly loopDelay: LoopDelay;
  hashesWaiting(): number;
}

interface ObservabilityDeps {
  readonly stopwatch?: Stopwatch;
  readonly timer?: Timer;
  hashesWaiting(): number;
}

/** @returns undefined if the control plane is disabled: then nothing is recorded. */
export function createObservability(
  settings: Pick<Settings, 'disableControlPlane' | 'requestLogSize' | 'testFeatures' | 'allowRemote'>,
  { stopwatch = systemStopwatch, timer, hashesWaiting }: ObservabilityDeps,
): Observability | undefined {
  if (settings.disableControlPlane) return undefined;
  const requestWaiters = createSubscribers();
  return {
    requestLog: createRequestLog({ maxRequests: settings.requestLogSize, onAdded: requestWaiters.notify }),
    requestWaiters,
    coverage: createCoverageCounters(),
    faults: createFaultInjector(timer, hasTestFeatures(settings)),
    stopwatch,
    loopDelay: createLoopDelay(),
    hashesWaiting,
  };
}
