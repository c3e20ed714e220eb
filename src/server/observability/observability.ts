/** Observability of a running server: request log, coverage, metrics and fault injection. Part of the control plane. */

import { hasTestFeatures, type Settings } from '../config/settings.ts';
import { createFaultInjector, type FaultInjector } from '../fault-injection/fault-injector.ts';
import type { Clock } from '../lib/clock.ts';
import { createLoopDelay, type LoopDelay, type Stopwatch, systemStopwatch } from '../lib/stopwatch.ts';
import { createSubscribers, type Subscribers } from '../lib/subscribers.ts';
import type { Timer } from '../lib/timer.ts';
import { type CoverageCounters, createCoverageCounters } from './coverage.ts';
import { createMetricSeries, type MetricSeries } from './metric-series.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { createTestTokens, type TestTokens } from './test-tokens.ts';

export interface Observability {
  readonly requestLog: RequestLog;
  /** Whether the request log contains bodies of requests that were refused before their operation reads them. */
  readonly readsRefusedBodies: boolean;
  readonly requestWaiters: Subscribers;
  /** Subscribers of all kinds of events: requests, messages, clock and faults. */
  readonly eventSubscribers: Subscribers;
  /** Differs for each start: sequence numbers of another start have no meaning. */
  readonly startId: string;
  /** Since the start or the last reset, without reads of the console. */
  readonly coverage: CoverageCounters;
  /** Since the start, for at most an hour, without reads of the console. */
  readonly series: MetricSeries;
  readonly faults: FaultInjector;
  readonly testTokens: TestTokens;
  readonly stopwatch: Stopwatch;
  readonly loopDelay: LoopDelay;
  hashesWaiting(): number;
}

interface ObservabilityDeps {
  readonly stopwatch?: Stopwatch;
  readonly timer?: Timer;
  readonly startId: string;
  readonly machineClock: Clock;
  hashesWaiting(): number;
}

/** @returns undefined if the control plane is disabled: then nothing is recorded. */
export function createObservability(
  settings: Pick<Settings, 'disableControlPlane' | 'requestLogSize' | 'testFeatures' | 'allowRemote'>,
  { stopwatch = systemStopwatch, timer, startId, machineClock, hashesWaiting }: ObservabilityDeps,
): Observability | undefined {
  if (settings.disableControlPlane) return undefined;
  const requestWaiters = createSubscribers();
  const eventSubscribers = createSubscribers();
  requestWaiters.onNotify(eventSubscribers.notify);
  return {
    requestLog: createRequestLog({ maxRequests: settings.requestLogSize, onAdded: requestWaiters.notify }),
    readsRefusedBodies: hasTestFeatures(settings),
    requestWaiters,
    eventSubscribers,
    startId,
    coverage: createCoverageCounters(),
    series: createMetricSeries(machineClock),
    faults: createFaultInjector({ timer, isEnabled: hasTestFeatures(settings), onChange: eventSubscribers.notify }),
    testTokens: createTestTokens(),
    stopwatch,
    loopDelay: createLoopDelay(),
    hashesWaiting,
  };
}
