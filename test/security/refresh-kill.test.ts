/** Kills a real process during renewals; `npm run stress -- --only refresh-kill` does it many times. */
import { expect, test } from 'vitest';
import { effort } from '../effort.ts';
import { runKillRound } from '../stress/races/refresh-kill.ts';

test('after a kill each refresh token is accepted once or ends its session, and no rotated token is accepted', async () => {
  for (let round = 1; round <= effort; round += 1) {
    const { ends, rotations } = await runKillRound(round);
    expect(ends).toHaveLength(6);
    expect(rotations).toBeGreaterThan(0);
  }
});
