/** What a developer may ask of a running server: its last calls, what they covered, and faults. Part of the control plane. */
import type { Settings } from '../settings.ts';
import { type Counts, createCounts } from './coverage.ts';
import { createFaults, type Faults } from './faults.ts';
import { createJournal, type RequestJournal } from './journal.ts';
import { createLoopDelay, type LoopDelay, type Stopwatch, systemStopwatch } from './stopwatch.ts';

export interface Insight {
  readonly requests: RequestJournal;
  /** Since the start, or since somebody began anew. */
  readonly coverage: Counts;
  readonly faults: Faults;
  readonly stopwatch: Stopwatch;
  readonly loopDelay: LoopDelay;
  hashesWaiting(): number;
}

interface Parts {
  readonly stopwatch?: Stopwatch;
  hashesWaiting(): number;
}

/** @returns nothing where the control plane is switched off: then nothing is kept either. */
export function createInsight(
  { noControl, requestsKept }: Pick<Settings, 'noControl' | 'requestsKept'>,
  { stopwatch = systemStopwatch, hashesWaiting }: Parts,
): Insight | undefined {
  if (noControl) return undefined;
  return {
    requests: createJournal({ calls: requestsKept }),
    coverage: createCounts(),
    faults: createFaults(),
    stopwatch,
    loopDelay: createLoopDelay(),
    hashesWaiting,
  };
}
