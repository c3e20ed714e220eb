/** Kills a real process once during renewals; `npm run stress -- --only refresh-kill` does it many times. */
import { expect, test } from 'vitest';
import { runKillRound } from '../stress/races/refresh-kill.ts';

test('after a kill each refresh token is accepted once or ends its session, and no rotated token is accepted', async () => {
  const { ends, rotations } = await runKillRound(1);
  expect(ends).toHaveLength(6);
  expect(rotations).toBeGreaterThan(0);
});
