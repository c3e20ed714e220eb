/** A login throttle with a controlled clock, and attempts that fail, succeed or only compute the delay. */
import { expect } from 'vitest';
import { createMonotonicClock } from '../../../src/server/lib/monotonic-clock.ts';
import type { LoginAttempt } from '../../../src/server/limits/login-failures.ts';
import { createLoginThrottle } from '../../../src/server/limits/login-throttle.ts';
import { createFakeClock } from '../../harness.ts';

const stranger: LoginAttempt = { name: 'alice', caller: '192.0.2.1', isLoopback: false, isKnown: false };

export function createThrottleHarness(capacity?: number) {
  const clock = createFakeClock();
  const throttle = createLoginThrottle(createMonotonicClock(clock), { capacity });
  const attempt = (options: Partial<LoginAttempt>, isRight: boolean) =>
    throttle.attempt({ ...stranger, ...options }, async () => (isRight ? 'right' : undefined));

  /** Seconds until the attempt is allowed; 0 where it is allowed now. Does not count. */
  async function wait(options: Partial<LoginAttempt> = {}): Promise<number> {
    const unthrottled = new Error('stop before the check');
    const error: unknown = await throttle
      .attempt({ ...stranger, ...options }, () => Promise.reject(unthrottled))
      .catch((thrown: unknown) => thrown);
    if (error === unthrottled) return 0;
    expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
    return Number((error as { headers: Record<string, string> }).headers['Retry-After']);
  }

  return {
    clock,
    throttle,
    wait,
    async fail(times: number, options: Partial<LoginAttempt> = {}) {
      for (let time = 0; time < times; time += 1) await attempt(options, false);
    },
    async succeed(options: Partial<LoginAttempt> = {}) {
      expect(await attempt(options, true)).toBe('right');
    },
    /** Fails under one name from ten sources at a time until its budget is used up. */
    async spendBudget(name = stranger.name, failures = 100) {
      for (let failure = 0; failure < failures; failure += 1)
        await attempt({ name, caller: `198.51.100.${Math.floor(failure / 10)}` }, false);
    },
  };
}

export const toSeconds = (count: number) => count * 60;
