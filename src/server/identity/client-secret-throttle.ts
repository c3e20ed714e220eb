/**
 * Wrong client secrets, by source. A secret is random, so that a guess tells nothing and a right one is always accepted:
 * the limit only keeps a source that fails without end from being answered as if it were one of many.
 */
import type { RequestSource } from '../http/request-source.ts';
import type { MonotonicClock } from '../monotonic-clock.ts';
import { createTooManyAttemptsError } from './login-throttle.ts';

const windowMs = 15 * 60_000;
const maxFailures = 1000;
const maxSources = 100_000;
/** What new sources count as beyond that. No source has this key. */
const sharedKey = 'shared';

export interface ClientSecretThrottle {
  /** Counts a wrong secret. @throws IamError TOO_MANY_ATTEMPTS with Retry-After where the source had its fill. */
  recordFailure(source: Pick<RequestSource, 'key' | 'isLoopback'>): void;
  /** Clears everything. */
  reset(): void;
}

/** Setting disable-rate-limits: nothing counts. */
export const noClientSecretThrottle: ClientSecretThrottle = { recordFailure: () => undefined, reset: () => undefined };

interface Window {
  readonly endsAt: number;
  failures: number;
}

/** @param capacity how many sources are counted one by one. */
export function createClientSecretThrottle(elapsed: MonotonicClock, capacity = maxSources): ClientSecretThrottle {
  /** In the order in which they end. */
  const windows = new Map<string, Window>();

  function current(key: string, now: number): Window {
    for (const [ended, { endsAt }] of windows) {
      if (endsAt > now) break;
      windows.delete(ended);
    }
    const counted = windows.has(key) || windows.size < capacity ? key : sharedKey;
    const window = windows.get(counted) ?? { endsAt: now + windowMs, failures: 0 };
    windows.set(counted, window);
    return window;
  }

  return {
    recordFailure({ key, isLoopback }) {
      if (isLoopback) return;
      const now = elapsed();
      const window = current(key, now);
      if (window.failures >= maxFailures) throw createTooManyAttemptsError(window.endsAt - now);
      window.failures += 1;
    },
    reset: () => windows.clear(),
  };
}
