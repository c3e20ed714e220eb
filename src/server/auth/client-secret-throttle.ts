/**
 * Throttles wrong client secrets per source. Secrets are random, so guessing is hopeless and a correct secret is always
 * accepted; the limit only ensures that a source that keeps failing receives 429 instead of 401.
 */

import type { MonotonicClock } from '../lib/monotonic-clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { createTooManyAttemptsError } from './login-throttle.ts';

const windowMs = 15 * 60_000;
const maxFailures = 1000;
const maxSources = 100_000;
/** Counts new sources together beyond that number. No source has this key. */
const sharedKey = 'shared';

export interface ClientSecretThrottle {
  /** Counts a wrong secret. @throws IamError TOO_MANY_ATTEMPTS with Retry-After if the source has reached its limit. */
  recordFailure(source: Pick<RequestSource, 'key' | 'isLoopback'>): void;
  reset(): void;
}

/** For the setting disable-rate-limits: counts nothing. */
export const noClientSecretThrottle: ClientSecretThrottle = { recordFailure: () => undefined, reset: () => undefined };

interface Window {
  readonly endsAt: number;
  failures: number;
}

/** @param capacity the number of sources that are counted individually. */
export function createClientSecretThrottle(elapsed: MonotonicClock, capacity = maxSources): ClientSecretThrottle {
  /** Ordered by end time. */
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
