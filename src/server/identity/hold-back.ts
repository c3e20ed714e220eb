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
}

/** `capacity` bounds the memory: beyond it the identity that failed longest ago is forgotten. */
export function createHoldBack(clock: Clock, capacity = 50_000): HoldBack {
  const records = new Map<string, Record>();

  function current(name: string, now: number): Record | undefined {
    const record = records.get(name);
    if (!record || now - Math.max(record.failures.at(-1) ?? 0, record.heldUntil) <= windowMs) return record;
    records.delete(name);
    return undefined;
  }

  return {
    check(identity) {
      const now = clock.now().getTime();
      const record = current(nameOf(identity), now);
      if (!record || record.heldUntil <= now) return;
      const seconds = Math.ceil((record.heldUntil - now) / 1000);
      throw fault('TOO_MANY_ATTEMPTS', undefined, { 'Retry-After': String(seconds) });
    },
    failed(identity) {
      const name = nameOf(identity);
      const now = clock.now().getTime();
      const record = current(name, now) ?? { failures: [], heldUntil: 0, delayMs: 0 };
      record.failures = [...record.failures, now].slice(-failuresAllowed);
      if (record.delayMs > 0 || areTooMany(record.failures, now)) {
        record.delayMs = record.delayMs === 0 ? firstDelayMs : Math.min(record.delayMs * 2, longestDelayMs);
        record.heldUntil = now + record.delayMs;
      }
      records.delete(name);
      records.set(name, record);
      const oldest = records.keys().next().value;
      if (records.size > capacity && oldest !== undefined) records.delete(oldest);
    },
    succeeded(identity) {
      records.delete(nameOf(identity));
    },
  };
}

function nameOf(identity: string): string {
  return identity.length <= longestName ? identity : `sha256:${createHash('sha256').update(identity).digest('hex')}`;
}

function areTooMany(failures: readonly number[], now: number): boolean {
  return failures.length === failuresAllowed && now - (failures[0] ?? now) <= windowMs;
}
