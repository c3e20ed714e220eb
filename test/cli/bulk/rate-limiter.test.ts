import { describe, expect, test } from 'vitest';
import { RateLimiter } from '../../../src/cli/bulk/rate-limiter.ts';

/** A clock that advances on each pause. */
function createFakeClock() {
  let now = 0;
  return {
    now: () => now,
    pause: async (milliseconds: number) => {
      const end = now + milliseconds;
      await Promise.resolve();
      now = Math.max(now, end);
    },
  };
}

const never = () => false;

describe('the rate limiter', () => {
  test('limits the rate of requests', async () => {
    const time = createFakeClock();
    const pace = new RateLimiter(time, 50);
    const starts: number[] = [];
    for (let request = 0; request < 5; request += 1) {
      await pace.acquire(never);
      starts.push(time.now());
    }
    expect(starts).toEqual([0, 50, 100, 150, 200]);
  });

  test('pauses all requests, including waiting ones', async () => {
    const time = createFakeClock();
    const pace = new RateLimiter(time, 10);
    await pace.acquire(never);
    const waiting = [pace.acquire(never), pace.acquire(never)].map(async (turn) => {
      await turn;
      return time.now();
    });
    pace.pauseFor(1000);
    expect(Math.min(...(await Promise.all(waiting)))).toBeGreaterThanOrEqual(1000);
  });

  test('releases waiting requests when the run ends', async () => {
    const time = createFakeClock();
    const pace = new RateLimiter(time, 0);
    pace.pauseFor(Number.POSITIVE_INFINITY);
    let isOver = false;
    const turn = pace.acquire(() => isOver);
    isOver = true;
    await turn;
  });
});
