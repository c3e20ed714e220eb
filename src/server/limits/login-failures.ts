/**
 * Counts failed passwords in memory by typed name and caller, never by user, so that limits do not reveal that two names
 * belong to one user. A restart clears the counts; a remote attacker cannot cause one.
 */
import type { MonotonicClock } from '../lib/monotonic-clock.ts';
import { Counters, type Remaining } from './counters.ts';
import { delayed, regaining } from './rules.ts';
import { limits } from './table.ts';

export interface LoginAttempt {
  /** The typed name, folded for comparison. The throttle stores only a digest of it. */
  readonly name: string;
  /** The key returned by `callerKey`. */
  readonly caller: string;
  readonly isLoopback: boolean;
  /** Whether the source is known for the user with this name: failures of other callers then do not count for it. */
  readonly isKnown: boolean;
}

export interface FailureLimit extends Remaining {
  /** Attempts with the same key share the limit. */
  readonly key: string;
}

export class LoginFailures {
  readonly #callers: Counters;
  readonly #names: Counters;

  constructor(elapsed: MonotonicClock, capacity?: number) {
    this.#callers = new Counters(delayed(limits.loginFailuresPerSource), elapsed, capacity);
    this.#names = new Counters(regaining(limits.loginFailuresPerName), elapsed, capacity);
  }

  /** The number of counters: by name and caller, by name, and by caller. */
  get size(): { readonly entries: number; readonly names: number; readonly callers: number } {
    return { entries: this.#callers.size, names: this.#names.size, callers: this.#callers.sources };
  }

  /** All limits that apply to an attempt. None depends on whether the name belongs to a user. */
  computeLimits(attempt: LoginAttempt): FailureLimit[] {
    const { name, caller, isLoopback, isKnown } = attempt;
    const key = { subject: name, source: caller };
    const own = this.#hasPlace(attempt);
    const ofCaller = {
      key: own ? `caller\n${caller}\n${name}` : `shared\n${name}`,
      ...this.#callers.remaining(key, own),
    };
    if (isKnown) return [ofCaller];
    const ofName = { key: `budget\n${name}`, ...this.#names.remaining({ subject: name }, true) };
    const isFirst = own && !isLoopback && !this.#callers.has(key);
    return isFirst ? [ofCaller, ofName, this.#limitNames(caller)] : [ofCaller, ofName];
  }

  /** @param age milliseconds since the failure */
  add(attempt: LoginAttempt, age = 0): void {
    const { name, caller } = attempt;
    const own = this.#hasPlace(attempt);
    this.#callers.add({ subject: name, source: caller }, own, age);
    if (own || this.#names.has({ subject: name })) this.#names.add({ subject: name }, true, age);
  }

  hasFailures(name: string): boolean {
    return this.#callers.hasSubject(name) || this.#names.hasSubject(name);
  }

  /** Clears the failures of one caller under a name; those of other callers remain. */
  clearCaller(name: string, caller: string): void {
    this.#callers.clear({ subject: name, source: caller });
  }

  /** Restores the whole budget of a name. Failures of individual callers remain. */
  restoreBudget(name: string): void {
    this.#names.clearSubject(name);
  }

  clearName(name: string): void {
    this.#callers.clearSubject(name);
    this.restoreBudget(name);
  }

  /** Retry-After is a whole window: the expiry of the oldest name is not tracked. */
  #limitNames(caller: string): FailureLimit {
    const { max, windowMs } = limits.failingNamesPerSource;
    return { key: `names\n${caller}`, left: max - this.#callers.countSubjects(caller), retryAfterMs: windowMs };
  }

  /** Whether the attempt has, or can have, counters of its own. Known sources always can: a user has at most 20. */
  #hasPlace({ name, caller, isKnown }: LoginAttempt): boolean {
    const key = { subject: name, source: caller };
    if (isKnown || this.#callers.has(key)) return true;
    return this.#callers.hasPlace(key) && this.#names.hasPlace({ subject: name });
  }
}
