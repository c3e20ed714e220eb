/**
 * Holding back whoever guesses: after ten failures of one identity within 15 minutes further attempts wait, 30 s at
 * first, doubling to 15 minutes. It counts by the name that was tried, known or not, so that it tells nothing.
 * Counts live in memory: a restart forgets them, which a guesser can't bring about.
 */
import { fault } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';

const failuresAllowed = 10;
const windowMs = 15 * 60_000;
const firstDelayMs = 30_000;
const longestDelayMs = 15 * 60_000;

interface Attempts {
  /** Proofs under way: each may become a failure. */
  inFlight: number;
  readonly waiting: (() => void)[];
}

interface Record {
  failures: number;
  lastFailureAt: number;
  heldUntil: number;
  delayMs: number;
}

export interface HoldBack {
  /** @throws IamError TOO_MANY_ATTEMPTS with Retry-After while the identity is held back. */
  check(identity: string): void;
  failed(identity: string): void;
  succeeded(identity: string): void;
  /**
   * Runs a proof of the identity; a result that is undefined counts as a failure. No more proofs run at once than
   * failures are still allowed, so that guesses in parallel count one by one, while right ones only wait their turn.
   * @throws IamError TOO_MANY_ATTEMPTS; whatever `proof` throws, which does not count.
   */
  attempt<Proof>(identity: string, proof: () => Promise<Proof | undefined>): Promise<Proof | undefined>;
}

/** `capacity` bounds the memory: beyond it the identity that failed longest ago is forgotten. */
export function createHoldBack(clock: Clock, capacity = 50_000): HoldBack {
  const records = new Map<string, Record>();

  function current(identity: string, now: number): Record | undefined {
    const record = records.get(identity);
    if (!record || now - Math.max(record.lastFailureAt, record.heldUntil) <= windowMs) return record;
    records.delete(identity);
    return undefined;
  }

  const underWay = new Map<string, Attempts>();

  const holdBack: HoldBack = {
    check(identity) {
      const now = clock.now().getTime();
      const record = current(identity, now);
      if (!record || record.heldUntil <= now) return;
      const seconds = Math.ceil((record.heldUntil - now) / 1000);
      throw fault('TOO_MANY_ATTEMPTS', undefined, { 'Retry-After': String(seconds) });
    },
    failed(identity) {
      const now = clock.now().getTime();
      const record = current(identity, now) ?? { failures: 0, lastFailureAt: now, heldUntil: 0, delayMs: 0 };
      record.failures += 1;
      record.lastFailureAt = now;
      if (record.failures >= failuresAllowed) {
        record.delayMs = record.delayMs === 0 ? firstDelayMs : Math.min(record.delayMs * 2, longestDelayMs);
        record.heldUntil = now + record.delayMs;
      }
      records.delete(identity);
      records.set(identity, record);
      const oldest = records.keys().next().value;
      if (records.size > capacity && oldest !== undefined) records.delete(oldest);
    },
    succeeded(identity) {
      records.delete(identity);
    },
    async attempt(identity, proof) {
      await enter(identity);
      try {
        const proven = await proof();
        if (proven === undefined) holdBack.failed(identity);
        else holdBack.succeeded(identity);
        return proven;
      } finally {
        leave(identity);
      }
    },
  };

  /** Resolves when a proof may run. Whoever waited looks again: what went before may have failed. */
  async function enter(identity: string): Promise<void> {
    for (;;) {
      holdBack.check(identity);
      const attempts = underWay.get(identity) ?? { inFlight: 0, waiting: [] };
      const failures = current(identity, clock.now().getTime())?.failures ?? 0;
      if (attempts.inFlight < Math.max(1, failuresAllowed - failures)) {
        attempts.inFlight += 1;
        underWay.set(identity, attempts);
        return;
      }
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
  }

  function leave(identity: string): void {
    const attempts = underWay.get(identity);
    if (!attempts) return;
    attempts.inFlight -= 1;
    for (const go of attempts.waiting.splice(0)) go();
    if (attempts.inFlight === 0) underWay.delete(identity);
  }

  return holdBack;
}
