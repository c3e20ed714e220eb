/** One kill of a real process in the middle of renewals; `npm run torture -- --only refresh-kill` does many. */
import { expect, test } from 'vitest';
import { runKillRound } from '../stress/races/refresh-kill.ts';

test('after a kill each refresh token is taken once or ends its session, and none that was rotated away is taken', async () => {
  const { ends, rotations } = await runKillRound(1);
  expect(ends).toHaveLength(6);
  expect(rotations).toBeGreaterThan(0);
});
