import * as z from 'zod';
import { apiError, fieldError } from '../../../../contract/errors.ts';
import { singleLine } from '../../../../contract/schemas/primitives.ts';
import { longestMaxToken } from '../../../config/settings-table.ts';
import { type AdjustableClock, validateClockTime } from '../../../lib/adjustable-clock.ts';
import { parseDuration } from '../../../lib/durations.ts';
import type { ControlContext } from '../../../request-context.ts';
import { defineRoute } from '../../define.ts';
import { findExpiry } from '../../expiry.ts';
import { ClockView, toClockView } from './clock-state.ts';

const Duration = z
  .string()
  .refine(
    (text) => parseDuration(text) !== undefined,
    'must be a duration such as 90s, 10m, 1h30m or 7d, with a minus sign to go back',
  );

const ClockAdjustment = z.strictObject({
  freeze: z.boolean().optional().describe('Freeze or unfreeze the clock; alone or together with a new time'),
  set: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2030-01-31T12:00:00Z' })
    .optional()
    .meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  advance: Duration.optional().describe('Move the clock forward: 90s, 10m, 1h30m, 7d; backward with a minus sign'),
  to: z.literal('expiry').optional().describe('Go to the expiry of `of`'),
  of: singleLine(longestMaxToken, 'A token or its jti, a challenge, message, session or one-time token').optional(),
  offset: Duration.optional().describe('Offset after that expiry; before it with a minus sign, such as -1s'),
  reset: z.literal(true).optional().describe("Return to the machine's clock"),
});

type ClockAdjustment = z.output<typeof ClockAdjustment>;

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  id: 'control.set-clock',
  title: 'Set the server clock',
  description:
    'Specify one of set, advance, to and reset; freeze works alone or with one of the first three. The clock can go back: ids still increase, and what has expired becomes valid again, but not what was revoked, used or locked. Waits and timeouts use real time.',
  method: 'PUT',
  path: '/clock',
  audit: { kind: 'administration', isChange: true, targets: {} },
  request: { body: ClockAdjustment },
  response: { status: 200, body: ClockView },
  errors: ['EXPIRY_NOT_FOUND', 'FIELD_MISSING', 'FIELD_VALUE'],
  openapiExamples: { body: { advance: '10m' } },

  async handle({ body }, context) {
    assertOneAction(body);
    const time = await resolveTime(body, context);
    const reason = time === undefined ? undefined : validateClockTime(time);
    if (reason !== undefined) throw fieldError('FIELD_VALUE', fieldsOfTime(body), reason);
    adjust(context.clock, body, time);
    return toClockView(context.clock);
  },
});

/** @throws IamError FIELD_MISSING, FIELD_VALUE. */
function assertOneAction({ freeze, set, advance, to, of, offset, reset }: ClockAdjustment): void {
  const actions = Object.entries({ set, advance, to, reset }).filter(([, value]) => value !== undefined);
  if (actions.length === 0 && freeze === undefined)
    throw fieldError(
      'FIELD_MISSING',
      ['freeze', 'set', 'advance', 'to', 'reset'],
      'One of freeze, set, advance, to and reset is required.',
    );
  const names = actions.map(([name]) => name);
  if (names.length > 1) throw fieldError('FIELD_VALUE', names, `${names.join(' and ')} cannot be combined.`);
  if (reset && freeze !== undefined)
    throw fieldError('FIELD_VALUE', ['reset', 'freeze'], 'reset and freeze cannot be combined.');
  if (to !== undefined && of === undefined) throw fieldError('FIELD_MISSING', 'of', 'of is required.');
  if (to === undefined && (of ?? offset) !== undefined)
    throw fieldError('FIELD_VALUE', 'to', 'of and offset require to.');
}

/** The fields that determine the new time. */
function fieldsOfTime({ set, advance, to, of, offset }: ClockAdjustment): string[] {
  const present = Object.entries({ set, advance, to, of, offset }).filter(([, value]) => value !== undefined);
  return present.map(([name]) => name);
}

/** The new time in milliseconds since the epoch; undefined if the time does not change. */
async function resolveTime({ set, advance, of, offset = '0s' }: ClockAdjustment, context: ControlContext) {
  if (set !== undefined) return Date.parse(set);
  if (advance !== undefined) return context.clock.now().getTime() + (parseDuration(advance) ?? 0);
  if (of === undefined) return undefined;
  const { store, issuer, authentication } = context;
  const end = await findExpiry(of, { store, issuer, verifier: authentication.verifier });
  if (end === undefined) throw apiError('EXPIRY_NOT_FOUND');
  return end + (parseDuration(offset) ?? 0);
}

/** Freezes before setting, so that a frozen clock has exactly the new time. */
function adjust(clock: AdjustableClock, { freeze, reset }: ClockAdjustment, time: number | undefined): void {
  if (reset) clock.reset();
  if (freeze === true) clock.freeze();
  if (time !== undefined) clock.set(new Date(time));
  if (freeze === false) clock.unfreeze();
}
