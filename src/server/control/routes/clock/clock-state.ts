/** The clock as the control plane returns it. */

import * as z from 'zod';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import type { AdjustableClock } from '../../../lib/adjustable-clock.ts';

export const ClockView = z.strictObject({
  now: exampleText('2026-03-01T12:00:00.000Z', 'Current time of the server'),
  frozen: z.boolean().describe('Whether the clock is frozen'),
  offset: z.number().meta({ description: "Seconds ahead of the machine's clock; negative if behind", examples: [600] }),
});

export function toClockView(clock: AdjustableClock): z.input<typeof ClockView> {
  const { now, frozen, offset } = clock.state();
  return { now: now.toISOString(), frozen, offset: offset / 1000 };
}
