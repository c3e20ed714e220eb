/**
 * Holding back whoever guesses: after ten failures of one identity within 15 minutes further attempts wait, 30 s at
 * first, doubling to 15 minutes. It counts by the name that was tried, known or not, so that it tells nothing.
 * Counts live in memory: a restart forgets them, which a guesser can't bring about.
 */
import { createHash } from 'node:crypto';
import { fault } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';

const failuresAllowed = 10;
const windowMs = 15 * 60_000;
const firstDelayMs = 30_000;
const longestDelayMs = 15 * 60_000;

/** A name may be as long as a header; what is kept of it is not. */
const longestName = 100;

interface Attempts {
  /** Proofs under way: each may become a failure. */
  inFlight: number;
  readonly waiting: (() => void)[];
}

interface Record {
  /** The times of the last failures, at most as many as are allowed. */
  failures: number[];
  heldUntil: number;
  delayMs: number;
}

export interface HoldBack {
  /** @throws IamError TOO_MANY_ATTEMPTS with Retry-After while the identity is held back. */
  check(identity: string): void;
  failed(identity: string): void;
  succeeded(identity: string): void;
  /** Forgets all failures: those it counted are not there any more. */
  forget(): void;
  /**
   * Runs a proof of the identity; a result that is undefined counts as a failure. No more proofs run at once than
   * failures are still allowed, so that guesses in parallel count one by one, while right ones only wait their turn.
   * @throws IamError TOO_MANY_ATTEMPTS; whatever `proof` throws, which does not count.
   */
  attempt<Proof>(identity: string, proof: () => Promise<Proof | undefined>): Promise<Proof | undefined>;
}

/** `capacity` bounds the memory: beyond it the identity that failed longest ago is forgotten. */
export function createHoldBack(clock: Clock, capacity = 50_000): HoldBack {
  return new CountingHoldBack(clock, capacity);
}

/** Setting disable-rate-limits: nothing counts. */
export const holdNobodyBack: HoldBack = {
  check: () => undefined,
  failed: () => undefined,
  succeeded: () => undefined,
  forget: () => undefined,
  attempt: (_, proof) => proof(),
};

class CountingHoldBack implements HoldBack {
  readonly #clock: Clock;
  readonly #capacity: number;
  /** By the name that is kept of an identity; the one that failed longest ago first. */
  readonly #records = new Map<string, Record>();
  readonly #underWay = new Map<string, Attempts>();

  constructor(clock: Clock, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  check(identity: string): void {
    const now = this.#now();
    const record = this.#current(nameOf(identity), now);
    if (!record || record.heldUntil <= now) return;
    const seconds = Math.ceil((record.heldUntil - now) / 1000);
    throw fault('TOO_MANY_ATTEMPTS', undefined, { 'Retry-After': String(seconds) });
  }

  failed(identity: string): void {
    const name = nameOf(identity);
    const now = this.#now();
    const record = withFailure(this.#current(name, now), now);
    this.#records.delete(name);
    this.#records.set(name, record);
    const oldest = this.#records.keys().next().value;
    if (this.#records.size > this.#capacity && oldest !== undefined) this.#records.delete(oldest);
  }

  succeeded(identity: string): void {
    this.#records.delete(nameOf(identity));
  }

  forget(): void {
    this.#records.clear();
  }

  async attempt<Proof>(identity: string, proof: () => Promise<Proof | undefined>): Promise<Proof | undefined> {
    await this.#enter(identity);
    try {
      const proven = await proof();
      if (proven === undefined) this.failed(identity);
      else this.succeeded(identity);
      return proven;
    } finally {
      this.#leave(identity);
    }
  }

  /** Resolves when a proof may run. Whoever waited looks again: what went before may have failed. */
  async #enter(identity: string): Promise<void> {
    const name = nameOf(identity);
    for (;;) {
      this.check(identity);
      const attempts = this.#underWay.get(name) ?? { inFlight: 0, waiting: [] };
      if (attempts.inFlight < this.#atOnce(name)) {
        attempts.inFlight += 1;
        this.#underWay.set(name, attempts);
        return;
      }
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
  }

  #leave(identity: string): void {
    const name = nameOf(identity);
    const attempts = this.#underWay.get(name);
    if (!attempts) return;
    attempts.inFlight -= 1;
    for (const go of attempts.waiting.splice(0)) go();
    if (attempts.inFlight === 0) this.#underWay.delete(name);
  }

  /** How many proofs may run at once: as many as may still fail, and one where the delay is over. */
  #atOnce(name: string): number {
    const now = this.#now();
    const record = this.#current(name, now);
    if (!record) return failuresAllowed;
    return record.delayMs > 0 ? 1 : Math.max(1, failuresAllowed - inWindow(record.failures, now).length);
  }

  #current(name: string, now: number): Record | undefined {
    const record = this.#notAhead(name, now);
    if (!record || now - Math.max(record.failures.at(-1) ?? 0, record.heldUntil) <= windowMs) return record;
    this.#records.delete(name);
    return undefined;
  }

  /** After a clock was set back, what was counted counts as if just now: nobody waits until it is there again. */
  #notAhead(name: string, now: number): Record | undefined {
    const record = this.#records.get(name);
    const ahead = (record?.failures.at(-1) ?? 0) - now;
    if (!record || ahead <= 0) return record;
    const { failures, heldUntil, delayMs } = record;
    const moved = { failures: failures.map((at) => at - ahead), heldUntil: heldUntil - ahead, delayMs };
    this.#records.set(name, moved);
    return moved;
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

function withFailure(record: Record | undefined, now: number): Record {
  const { failures: before, heldUntil, delayMs } = record ?? { failures: [], heldUntil: 0, delayMs: 0 };
  const failures = [...before, now].slice(-failuresAllowed);
  if (delayMs === 0 && inWindow(failures, now).length < failuresAllowed) return { failures, heldUntil, delayMs };
  const longer = delayMs === 0 ? firstDelayMs : Math.min(delayMs * 2, longestDelayMs);
  return { failures, heldUntil: now + longer, delayMs: longer };
}

function inWindow(failures: readonly number[], now: number): number[] {
  return failures.filter((at) => now - at <= windowMs);
}

function nameOf(identity: string): string {
  return identity.length <= longestName ? identity : `sha256:${createHash('sha256').update(identity).digest('hex')}`;
}
