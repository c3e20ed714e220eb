/**
 * Counts failed passwords in memory by typed name and caller, never by user, so that limits do not reveal that two names
 * belong to one user. A restart clears the counts; a remote attacker cannot cause one.
 */

import type { MonotonicClock } from '../lib/monotonic-clock.ts';
import { CountMinSketch } from '../limits/count-min-sketch.ts';
import { ExpiryQueue } from '../limits/expiry-queue.ts';

const minute = 60_000;
const windowMs = 15 * minute;
const maxFailures = 10;
const firstDelayMs = 30_000;
const maxDelayMs = 15 * minute;
/** Maximum failures of a name over all callers, */
const nameBudget = 100;
/** of which one is restored after each such interval. */
const regainMs = 15 * minute;
/** Maximum names under which one remote source may fail. */
const maxNamesPerSource = 1000;
/** Maximum individual counters. Beyond it, new callers share ten failures per name, in fixed memory. */
const maxEntries = 100_000;

export interface LoginAttempt {
  /** The typed name, folded for comparison. The throttle stores only a digest of it. */
  readonly name: string;
  /** The key returned by `callerKey`. */
  readonly caller: string;
  readonly isLoopback: boolean;
  /** Whether the source is known for the user with this name: failures of other callers then do not count for it. */
  readonly isKnown: boolean;
}

export interface FailureLimit {
  /** Attempts with the same key share the limit. */
  readonly key: string;
  readonly left: number;
  /** If none remain: milliseconds until one is available again. */
  readonly retryAfterMs: number;
}

interface NameFailures {
  readonly name: string;
  /** When the whole budget is restored; each failure postpones it by one interval (GCRA, ITU-T I.371). */
  regainedAt: number;
  readonly callers: Map<string, CallerFailures>;
  slot: number | undefined;
}

interface CallerFailures {
  readonly of: NameFailures;
  readonly caller: string;
  /** Times of the last failures, at most `maxFailures`. */
  readonly times: number[];
  throttledUntil: number;
  delayMs: number;
  slot: number | undefined;
}

export class LoginFailures {
  readonly #elapsed: MonotonicClock;
  readonly #capacity: number;
  readonly #names = new Map<string, NameFailures>();
  /** The number of names that each caller failed under. */
  readonly #callers = new Map<string, number>();
  readonly #failing = new ExpiryQueue<CallerFailures>();
  readonly #regaining = new ExpiryQueue<NameFailures>();
  #sketch = new CountMinSketch(windowMs);
  #entries = 0;

  constructor(elapsed: MonotonicClock, capacity = maxEntries) {
    this.#elapsed = elapsed;
    this.#capacity = capacity;
  }

  /** The number of counters: by name and caller, by name, and by caller. */
  get size(): { readonly entries: number; readonly names: number; readonly callers: number } {
    return { entries: this.#entries, names: this.#names.size, callers: this.#callers.size };
  }

  /** All limits that apply to an attempt. None depends on whether the name belongs to a user. */
  computeLimits(attempt: LoginAttempt): FailureLimit[] {
    const now = this.#now();
    const entry = this.#names.get(attempt.name)?.callers.get(attempt.caller);
    const isCounted = this.#isCounted(attempt);
    const limits = [isCounted ? computeCallerLimit(attempt, entry, now) : this.#sharedLimit(attempt.name, now)];
    if (attempt.isKnown) return limits;
    limits.push(this.#budgetLimit(attempt.name, now));
    if (!attempt.isLoopback && isCounted && !entry) limits.push(this.#namesLimit(attempt.caller));
    return limits;
  }

  /** @param age milliseconds since the failure */
  add(attempt: LoginAttempt, age = 0): void {
    const now = this.#now();
    const at = now - age;
    const { name, caller } = attempt;
    if (this.#isCounted(attempt)) this.#recordFailure(this.#findOrCreateEntry(name, caller), at);
    // The shared counters are of whole windows.
    else this.#sketch.add(name, now);
    const failures = this.#names.get(name);
    if (!failures) return;
    failures.regainedAt = Math.min(Math.max(failures.regainedAt, at) + regainMs, at + nameBudget * regainMs);
    this.#regaining.schedule(failures, failures.regainedAt);
  }

  hasFailures(name: string): boolean {
    return this.#names.has(name);
  }

  /** Clears the failures of one caller under a name; those of other callers remain. */
  clearCaller(name: string, caller: string): void {
    const entry = this.#names.get(name)?.callers.get(caller);
    if (entry) this.#dropCaller(entry);
  }

  /** Restores the whole budget of a name. Failures of individual callers remain. */
  restoreBudget(name: string): void {
    const failures = this.#names.get(name);
    if (!failures) return;
    failures.regainedAt = Number.NEGATIVE_INFINITY;
    this.#dropName(failures);
  }

  clearName(name: string): void {
    for (const entry of [...(this.#names.get(name)?.callers.values() ?? [])]) this.#dropCaller(entry);
    this.restoreBudget(name);
    this.#sketch.clear(name);
  }

  #sharedLimit(name: string, now: number): FailureLimit {
    const left = maxFailures - this.#sketch.count(name, now);
    return { key: `shared\n${name}`, left, retryAfterMs: this.#sketch.remaining(now) };
  }

  #budgetLimit(name: string, now: number): FailureLimit {
    const debtMs = Math.max(0, (this.#names.get(name)?.regainedAt ?? 0) - now);
    const left = nameBudget - Math.ceil(debtMs / regainMs);
    return { key: `budget\n${name}`, left, retryAfterMs: debtMs - (nameBudget - 1) * regainMs };
  }

  /** Retry-After is a whole window: the expiry of the oldest name is not tracked. */
  #namesLimit(caller: string): FailureLimit {
    const left = maxNamesPerSource - (this.#callers.get(caller) ?? 0);
    return { key: `names\n${caller}`, left, retryAfterMs: windowMs };
  }

  /** Whether the attempt has, or can have, an individual counter. Known sources always can: a user has at most 20. */
  #isCounted({ name, caller, isKnown }: LoginAttempt): boolean {
    const failures = this.#names.get(name);
    if (isKnown || failures?.callers.has(caller)) return true;
    return this.#entries < this.#capacity && (failures !== undefined || this.#names.size < this.#capacity);
  }

  #findOrCreateEntry(name: string, caller: string): CallerFailures {
    const of = this.#names.get(name) ?? {
      name,
      regainedAt: Number.NEGATIVE_INFINITY,
      callers: new Map(),
      slot: undefined,
    };
    this.#names.set(name, of);
    const existing = of.callers.get(caller);
    if (existing) return existing;
    const entry = { of, caller, times: [], throttledUntil: 0, delayMs: 0, slot: undefined };
    of.callers.set(caller, entry);
    this.#entries += 1;
    this.#callers.set(caller, (this.#callers.get(caller) ?? 0) + 1);
    return entry;
  }

  #recordFailure(entry: CallerFailures, at: number): void {
    entry.times.push(at);
    if (entry.times.length > maxFailures) entry.times.shift();
    if (entry.delayMs > 0 || countRecent(entry, at) >= maxFailures) {
      entry.delayMs = Math.min(Math.max(entry.delayMs * 2, firstDelayMs), maxDelayMs);
      entry.throttledUntil = Math.max(entry.throttledUntil, at + entry.delayMs);
    }
    this.#failing.schedule(entry, Math.max(...entry.times, entry.throttledUntil) + windowMs);
  }

  #dropCaller(entry: CallerFailures): void {
    this.#failing.remove(entry);
    entry.of.callers.delete(entry.caller);
    this.#entries -= 1;
    const names = (this.#callers.get(entry.caller) ?? 1) - 1;
    if (names > 0) this.#callers.set(entry.caller, names);
    else this.#callers.delete(entry.caller);
    this.#dropName(entry.of);
  }

  /** Deletes the entry of a name unless part of it still counts. */
  #dropName(failures: NameFailures): void {
    if (failures.callers.size > 0 || failures.regainedAt > this.#elapsed()) return;
    this.#regaining.remove(failures);
    this.#names.delete(failures.name);
  }

  #now(): number {
    const now = this.#elapsed();
    this.#failing.expire(now, (entry) => this.#dropCaller(entry));
    this.#regaining.expire(now, (failures) => this.#dropName(failures));
    return now;
  }
}

function computeCallerLimit(
  { name, caller }: LoginAttempt,
  entry: CallerFailures | undefined,
  now: number,
): FailureLimit {
  const retryAfterMs = (entry?.throttledUntil ?? now) - now;
  return { key: `caller\n${caller}\n${name}`, left: countRemaining(entry, now), retryAfterMs };
}

/** No failure is allowed during a delay; one is allowed after it, and another failure doubles the delay. */
function countRemaining(entry: CallerFailures | undefined, now: number): number {
  if (!entry) return maxFailures;
  if (entry.throttledUntil > now) return 0;
  return entry.delayMs > 0 ? 1 : Math.max(0, maxFailures - countRecent(entry, now));
}

function countRecent({ times }: CallerFailures, now: number): number {
  return times.filter((at) => now - at <= windowMs).length;
}
