/**
 * Counts events by key in bounded memory. A full table evicts nothing that still counts: keys that find no place are
 * counted together by a hash of their subject, in fixed memory, so that they cannot exhaust each other's limits.
 */
import type { MonotonicClock } from '../lib/monotonic-clock.ts';
import { CountMinSketch, maxSketchCount } from './count-min-sketch.ts';
import { type ExpiryEntry, ExpiryQueue } from './expiry-queue.ts';
import type { Count, CountingRule } from './rules.ts';
import { maxCounters } from './table.ts';

export interface CounterKey {
  /** A typed name, an owner, a network, and so on. */
  readonly subject: string;
  /** Where the events come from, if each source of a subject counts separately. */
  readonly source?: string;
}

export interface Remaining {
  readonly left: number;
  /** If none is left: milliseconds until one is. */
  readonly retryAfterMs: number;
}

interface Counter extends CounterKey, ExpiryEntry {
  readonly count: Count;
}

export class Counters {
  readonly #rule: CountingRule;
  readonly #now: MonotonicClock;
  readonly #capacity: number;
  readonly #subjects = new Map<string, Map<string, Counter>>();
  /** The number of subjects of each source. */
  readonly #sources = new Map<string, number>();
  readonly #expiring = new ExpiryQueue<Counter>();
  #shared: CountMinSketch;
  #size = 0;

  constructor(rule: CountingRule, now: MonotonicClock, capacity = maxCounters) {
    this.#rule = rule;
    this.#now = now;
    this.#capacity = capacity;
    this.#shared = new CountMinSketch(rule.windowMs);
  }

  get size(): number {
    return this.#size;
  }

  /** The number of sources with a counter. */
  get sources(): number {
    return this.#sources.size;
  }

  has(key: CounterKey): boolean {
    this.#expire();
    return this.#find(key) !== undefined;
  }

  /** Whether the key has, or can have, a counter of its own. */
  hasPlace(key: CounterKey): boolean {
    return this.has(key) || this.#size < this.#capacity;
  }

  hasSubject(subject: string): boolean {
    return this.#subjects.has(subject);
  }

  countSubjects(source: string): number {
    return this.#sources.get(source) ?? 0;
  }

  /** @param own whether the key is counted by itself. Pass true for keys of which few exist: they find place in any case. */
  remaining(key: CounterKey, own = this.hasPlace(key)): Remaining {
    const now = this.#expire();
    if (!own) return this.#remainingShared(key.subject, now);
    const counter = this.#find(key);
    if (!counter) return { left: this.#rule.max, retryAfterMs: 0 };
    const { count } = counter;
    return { left: this.#rule.countLeft(count, now), retryAfterMs: this.#rule.computeWait(count, now) };
  }

  /** @param age milliseconds since the event */
  add(key: CounterKey, own = this.hasPlace(key), age = 0): void {
    const now = this.#expire();
    if (!own) {
      // Shared counters are of whole windows.
      this.#shared.add(key.subject, now);
      return;
    }
    const counter = this.#find(key) ?? this.#create(key);
    this.#rule.add(counter.count, now - age);
    this.#expiring.schedule(counter, this.#rule.computeExpiry(counter.count));
  }

  /** Adds an event to a fixed window. @returns a function that undoes it; a shared counter keeps it. */
  reserve(key: CounterKey): () => void {
    this.add(key);
    const counter = this.#find(key);
    const until = counter?.count.until;
    return () => {
      if (!counter || this.#find(key) !== counter || counter.count.until !== until) return;
      counter.count.events -= 1;
      if (counter.count.events === 0) this.#drop(counter);
    };
  }

  clear(key: CounterKey): void {
    const counter = this.#find(key);
    if (counter) this.#drop(counter);
  }

  clearSubject(subject: string): void {
    for (const counter of [...(this.#subjects.get(subject)?.values() ?? [])]) this.#drop(counter);
    this.#shared.clear(subject);
  }

  clearAll(): void {
    for (const subject of [...this.#subjects.keys()]) this.clearSubject(subject);
    this.#shared = new CountMinSketch(this.#rule.windowMs);
  }

  #remainingShared(subject: string, now: number): Remaining {
    const left = Math.min(this.#rule.max, maxSketchCount) - this.#shared.count(subject, now);
    return { left, retryAfterMs: this.#shared.remaining(now) };
  }

  #find({ subject, source = '' }: CounterKey): Counter | undefined {
    return this.#subjects.get(subject)?.get(source);
  }

  #create({ subject, source = '' }: CounterKey): Counter {
    const counter = { subject, source, count: { events: 0, until: Number.NEGATIVE_INFINITY }, slot: undefined };
    const counters = this.#subjects.get(subject) ?? new Map<string, Counter>();
    this.#subjects.set(subject, counters.set(source, counter));
    this.#sources.set(source, this.countSubjects(source) + 1);
    this.#size += 1;
    return counter;
  }

  #drop(counter: Counter): void {
    const { subject, source = '' } = counter;
    this.#expiring.remove(counter);
    const counters = this.#subjects.get(subject);
    counters?.delete(source);
    if (counters?.size === 0) this.#subjects.delete(subject);
    const others = this.countSubjects(source) - 1;
    if (others > 0) this.#sources.set(source, others);
    else this.#sources.delete(source);
    this.#size -= 1;
  }

  #expire(): number {
    const now = this.#now();
    this.#expiring.expire(now, (counter) => this.#drop(counter));
    return now;
  }
}
