/** What a developer may ask of a running server: its last calls, what they covered, and faults. Part of the control plane. */

import type { Timer } from '../ports/timer.ts';
import { createWaiters, type Waiters } from '../ports/waiters.ts';
import { hasTestFeatures, type Settings } from '../settings.ts';
import { type Counts, createCounts } from './coverage.ts';
import { createFaults, type Faults } from './faults.ts';
import { createJournal, type RequestJournal } from './journal.ts';
import { createLoopDelay, type LoopDelay, type Stopwatch, systemStopwatch } from './stopwatch.ts';

export interface Insight {
  readonly requests: RequestJournal;
  /** Who waits for calls. */
  readonly calls: Waiters;
  /** Since the start, or since somebody began anew. */
  readonly coverage: Counts;
  readonly faults: Faults;
  readonly stopwatch: Stopwatch;
  readonly loopDelay: LoopDelay;
  hashesWaiting(): number;
}

interface Parts {
  readonly stopwatch?: Stopwatch;
  readonly timer?: Timer;
  hashesWaiting(): number;
}

/** @returns nothing where the control plane is switched off: then nothing is kept either. */
export function createInsight(
  settings: Pick<Settings, 'noControl' | 'requestsKept' | 'testFeatures' | 'allowRemote'>,
  { stopwatch = systemStopwatch, timer, hashesWaiting }: Parts,
): Insight | undefined {
  if (settings.noControl) return undefined;
  const calls = createWaiters();
  return {
    requests: createJournal({ calls: settings.requestsKept, onKept: calls.wake }),
    calls,
    coverage: createCounts(),
    faults: createFaults(timer, hasTestFeatures(settings)),
    stopwatch,
    loopDelay: createLoopDelay(),
    hashesWaiting,
  };
}
