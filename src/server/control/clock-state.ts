/** The clock as the control plane shows it. */
import * as z from 'zod';
import type { AdjustableClock } from '../adjustable-clock.ts';

export const ClockView = z.strictObject({
  now: z.string().describe('What the server takes the time for'),
  frozen: z.boolean().describe('Whether it stands still'),
  offset: z.number().describe("Seconds by which it is ahead of the machine's clock; less than zero where it is behind"),
});

/** The state of a clock, for an answer. */
export function toClockView(clock: AdjustableClock): z.input<typeof ClockView> {
  const { now, frozen, offset } = clock.state();
  return { now: now.toISOString(), frozen, offset: offset / 1000 };
}
