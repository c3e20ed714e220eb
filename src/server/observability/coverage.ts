/** Counters of statuses, error codes and durations by operation. */
import type { Operation } from '../../contract/operation.ts';

/** Upper bounds of the histogram buckets of /metrics, in seconds. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

export interface StatusCount {
  calls: number;
  seconds: number;
  /** By bound; the last bucket counts what exceeds all bounds. */
  readonly buckets: number[];
}

/** What the metrics report of an operation. */
type CountedOperation = Pick<Operation<never>, 'id' | 'method' | 'path' | 'mount'>;

export interface OperationCount {
  readonly operation: CountedOperation;
  readonly statuses: Map<number, StatusCount>;
  readonly codes: Map<string, number>;
}

export interface CoverageCounters {
  count(
    operation: CountedOperation,
    status: number,
    codes: readonly { readonly code: string }[],
    milliseconds: number,
  ): void;
  /** Counts by operation id since the last clear, without operations that received no request. */
  byOperation(): ReadonlyMap<string, OperationCount>;
  /** Counts since the start, independent of clear: counters of /metrics must not decrease. */
  sinceStart(): ReadonlyMap<string, OperationCount>;
  clear(): void;
}

export function createCoverageCounters(): CoverageCounters {
  const counts: CountMap = new Map();
  const cleared: CountMap = new Map();

  return {
    count(operation, status, codes, milliseconds) {
      const counted = getOrCreateOperation(counts, operation);
      countStatus(counted.statuses, status, milliseconds / 1000);
      for (const { code } of codes) counted.codes.set(code, (counted.codes.get(code) ?? 0) + 1);
    },
    byOperation: () => counts,
    sinceStart() {
      const all: CountMap = new Map();
      for (const part of [cleared, counts]) addAll(all, part);
      return all;
    },
    clear() {
      addAll(cleared, counts);
      counts.clear();
    },
  };
}

type CountMap = Map<string, OperationCount>;

function getOrCreateOperation(counts: CountMap, operation: CountedOperation): OperationCount {
  let found = counts.get(operation.id);
  if (!found) {
    found = { operation, statuses: new Map(), codes: new Map() };
    counts.set(operation.id, found);
  }
  return found;
}

function addAll(sum: CountMap, part: CountMap): void {
  for (const { operation, statuses, codes } of part.values()) {
    const added = getOrCreateOperation(sum, operation);
    for (const [status, count] of statuses) addStatus(getOrCreateStatus(added.statuses, status), count);
    for (const [code, calls] of codes) added.codes.set(code, (added.codes.get(code) ?? 0) + calls);
  }
}

function addStatus(sum: StatusCount, { calls, seconds, buckets }: StatusCount): void {
  sum.calls += calls;
  sum.seconds += seconds;
  for (const [at, count] of buckets.entries()) sum.buckets[at] = (sum.buckets[at] ?? 0) + count;
}

function getOrCreateStatus(statuses: Map<number, StatusCount>, status: number): StatusCount {
  let found = statuses.get(status);
  if (!found) {
    found = { calls: 0, seconds: 0, buckets: Array<number>(durationBounds.length + 1).fill(0) };
    statuses.set(status, found);
  }
  return found;
}

function countStatus(statuses: Map<number, StatusCount>, status: number, seconds: number): void {
  const found = getOrCreateStatus(statuses, status);
  found.calls += 1;
  found.seconds += seconds;
  countDuration(found.buckets, seconds);
}

/** Counts a duration in its bucket; the last one is of what exceeds all bounds. */
export function countDuration(buckets: number[], seconds: number): void {
  let at = 0;
  while (at < durationBounds.length && seconds > (durationBounds[at] ?? 0)) at += 1;
  buckets[at] = (buckets[at] ?? 0) + 1;
}
