/** The clock as the control plane returns it. */
import * as z from 'zod';
import type { AdjustableClock } from '../../../lib/adjustable-clock.ts';

export const ClockView = z.strictObject({
  now: z.string().describe('Current time of the server'),
  frozen: z.boolean().describe('Whether the clock is frozen'),
  offset: z.number().describe("Seconds ahead of the machine's clock; negative if behind"),
});

/** Converts the state of a clock to its JSON form. */
export function toClockView(clock: AdjustableClock): z.input<typeof ClockView> {
  const { now, frozen, offset } = clock.state();
  return { now: now.toISOString(), frozen, offset: offset / 1000 };
}
