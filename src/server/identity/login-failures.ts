/**
 * Failed passwords in memory, by the name as it was typed and by caller, never by the user: so they tell nobody that two
 * names belong to one. A restart forgets them, which a guesser can't bring about.
 */
import { ExpiryQueue } from '../expiry-queue.ts';
import type { MonotonicClock } from '../monotonic-clock.ts';
import { FailureSketch } from './failure-sketch.ts';

const minute = 60_000;
const windowMs = 15 * minute;
const maxFailures = 10;
const firstDelayMs = 30_000;
const maxDelayMs = 15 * minute;
/** Over all callers, a name may fail so often, */
const nameBudget = 100;
/** and once more each time so long has passed. */
const regainMs = 15 * minute;
/** One source that is not this machine fails under so many names, */
const maxNamesPerSource = 1000;
/** and all together are counted one by one so far. Beyond, new callers share ten failures a name, in memory of a fixed size. */
const maxEntries = 100_000;

export interface LoginAttempt {
  /** The name as it was typed, folded as names of its kind compare. The throttle keeps a digest of it. */
  readonly name: string;
  /** As `callerKey` has it. */
  readonly caller: string;
  readonly isLoopback: boolean;
  /** Whether the user whom the name leads to is known to come from here: no failure of others counts for it then. */
  readonly isKnown: boolean;
}

/** What an attempt is counted by. */
export interface FailureLimit {
  /** Attempts of the same key count together. */
  readonly key: string;
  /** How many more may fail. */
  readonly left: number;
  /** Where none may: how long until one may again. */
  readonly retryAfterMs: number;
}

interface NameFailures {
  readonly name: string;
  /** When the whole budget is regained: each failure moves it on by what one takes (GCRA, ITU-T I.371). */
  regainedAt: number;
  readonly callers: Map<string, CallerFailures>;
  slot: number | undefined;
}

interface CallerFailures {
  readonly of: NameFailures;
  readonly caller: string;
  /** The times of the last failures, at most as many as are allowed. */
  readonly times: number[];
  throttledUntil: number;
  delayMs: number;
  slot: number | undefined;
}

export class LoginFailures {
  readonly #elapsed: MonotonicClock;
  readonly #capacity: number;
  readonly #names = new Map<string, NameFailures>();
  /** How many names each caller failed under. */
  readonly #callers = new Map<string, number>();
  readonly #failing = new ExpiryQueue<CallerFailures>();
  readonly #regaining = new ExpiryQueue<NameFailures>();
  #sketch = new FailureSketch(windowMs);
  #entries = 0;

  constructor(elapsed: MonotonicClock, capacity = maxEntries) {
    this.#elapsed = elapsed;
    this.#capacity = capacity;
  }

  /** What is counted of each name and caller, and of names alone. */
  get size(): { readonly entries: number; readonly names: number; readonly callers: number } {
    return { entries: this.#entries, names: this.#names.size, callers: this.#callers.size };
  }

  /** All that may stand against an attempt. None of it depends on whether the name leads to a user. */
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

  add(attempt: LoginAttempt): void {
    const now = this.#now();
    const { name, caller } = attempt;
    if (this.#isCounted(attempt)) this.#recordFailure(this.#findOrCreateEntry(name, caller), now);
    else this.#sketch.add(name, now);
    const failures = this.#names.get(name);
    if (!failures) return;
    failures.regainedAt = Math.min(Math.max(failures.regainedAt, now) + regainMs, now + nameBudget * regainMs);
    this.#regaining.schedule(failures, failures.regainedAt);
  }

  /** Forgets what one caller failed under a name; what others did still counts. */
  clearCaller(name: string, caller: string): void {
    const entry = this.#names.get(name)?.callers.get(caller);
    if (entry) this.#dropCaller(entry);
  }

  /** Gives a name its whole budget back. What single callers failed still counts. */
  restoreBudget(name: string): void {
    const failures = this.#names.get(name);
    if (!failures) return;
    failures.regainedAt = 0;
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

  /** Told in whole windows: when the name that failed longest ago is forgotten is not kept. */
  #namesLimit(caller: string): FailureLimit {
    const left = maxNamesPerSource - (this.#callers.get(caller) ?? 0);
    return { key: `names\n${caller}`, left, retryAfterMs: windowMs };
  }

  /** Whether the attempt has, or can have, a count of its own. Known sources always can: a user has 20 at most. */
  #isCounted({ name, caller, isKnown }: LoginAttempt): boolean {
    const failures = this.#names.get(name);
    if (isKnown || failures?.callers.has(caller)) return true;
    return this.#entries < this.#capacity && (failures !== undefined || this.#names.size < this.#capacity);
  }

  #findOrCreateEntry(name: string, caller: string): CallerFailures {
    const of = this.#names.get(name) ?? { name, regainedAt: 0, callers: new Map(), slot: undefined };
    this.#names.set(name, of);
    const existing = of.callers.get(caller);
    if (existing) return existing;
    const entry = { of, caller, times: [], throttledUntil: 0, delayMs: 0, slot: undefined };
    of.callers.set(caller, entry);
    this.#entries += 1;
    this.#callers.set(caller, (this.#callers.get(caller) ?? 0) + 1);
    return entry;
  }

  #recordFailure(entry: CallerFailures, now: number): void {
    entry.times.push(now);
    if (entry.times.length > maxFailures) entry.times.shift();
    if (entry.delayMs > 0 || countRecent(entry, now) >= maxFailures) {
      entry.delayMs = Math.min(Math.max(entry.delayMs * 2, firstDelayMs), maxDelayMs);
      entry.throttledUntil = now + entry.delayMs;
    }
    this.#failing.schedule(entry, Math.max(now, entry.throttledUntil) + windowMs);
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

  /** Unless something of it still counts. */
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

/** While a delay runs none may fail; after it one may, and a further failure doubles it. */
function countRemaining(entry: CallerFailures | undefined, now: number): number {
  if (!entry) return maxFailures;
  if (entry.throttledUntil > now) return 0;
  return entry.delayMs > 0 ? 1 : Math.max(0, maxFailures - countRecent(entry, now));
}

function countRecent({ times }: CallerFailures, now: number): number {
  return times.filter((at) => now - at <= windowMs).length;
}
