/** PUT /_iam/clock */
import * as z from 'zod';
import { apiError, fieldError } from '../../../contract/errors.ts';
import { singleLine } from '../../../contract/schemas.ts';
import { type AdjustableClock, validateClockTime } from '../../adjustable-clock.ts';
import { parseDuration } from '../../durations.ts';
import { ClockView, toClockView } from '../clock-state.ts';
import { type ControlContext, defineRoute } from '../define.ts';
import { findExpiry } from '../expiry.ts';

const Duration = z
  .string()
  .refine(
    (text) => parseDuration(text) !== undefined,
    'must be a length of time such as 90s, 10m, 1h30m or 7d, with a minus sign to go back',
  );

const ClockAdjustment = z.strictObject({
  freeze: z.boolean().optional().describe('Stand still, or go on; alone or with a time to do it at'),
  set: z.iso.datetime({ offset: true, error: 'must be a time such as 2030-01-31T12:00:00Z' }).optional(),
  advance: Duration.optional().describe('Go forward by so much: 90s, 10m, 1h30m, 7d; back with a minus sign'),
  to: z.literal('expiry').optional().describe('Go to the end of what `of` names'),
  of: singleLine(16_384, 'A token or its jti, a challenge, message, session or ticket').optional(),
  offset: Duration.optional().describe('So much after that end; before it with a minus sign, such as -1s'),
  reset: z.literal(true).optional().describe("Go by the machine's clock again"),
});

type ClockAdjustment = z.output<typeof ClockAdjustment>;

export default defineRoute({
  capability: 'maintain',
  id: 'control.set-clock',
  title: 'Sets the clock of the server',
  description:
    'One of set, advance, to and reset, and freeze alone or beside one of the first three. It may go back as well: ids go on all the same, and what has ended at its hand comes back, but nothing that was revoked, used or locked. Waits and time-outs are real time.',
  method: 'PUT',
  path: '/clock',
  audit: { kind: 'administration', targets: {} },
  status: [200, 400, 401, 403, 404, 500],
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
  if (names.length > 1) throw fieldError('FIELD_VALUE', names, `${names.join(' and ')} do not go together.`);
  if (reset && freeze !== undefined)
    throw fieldError('FIELD_VALUE', ['reset', 'freeze'], 'reset and freeze do not go together.');
  if (to !== undefined && of === undefined) throw fieldError('FIELD_MISSING', 'of', 'of is required.');
  if (to === undefined && (of ?? offset) !== undefined)
    throw fieldError('FIELD_VALUE', 'to', 'of and offset are for going to an expiry: to is missing.');
}

/** The fields that the time comes from. */
function fieldsOfTime({ set, advance, to, of, offset }: ClockAdjustment): string[] {
  const given = Object.entries({ set, advance, to, of, offset }).filter(([, value]) => value !== undefined);
  return given.map(([name]) => name);
}

/** What the clock is to tell, in milliseconds since the epoch; undefined where it goes on from where it is. */
async function resolveTime({ set, advance, of, offset = '0s' }: ClockAdjustment, context: ControlContext) {
  if (set !== undefined) return Date.parse(set);
  if (advance !== undefined) return context.clock.now().getTime() + (parseDuration(advance) ?? 0);
  if (of === undefined) return undefined;
  const { store, issuer, authentication } = context;
  const end = await findExpiry(of, { store, issuer, verifier: authentication.verifier });
  if (end === undefined) throw apiError('EXPIRY_NOT_FOUND');
  return end + (parseDuration(offset) ?? 0);
}

/** It stands still before it is set, so that it then tells exactly that. */
function adjust(clock: AdjustableClock, { freeze, reset }: ClockAdjustment, time: number | undefined): void {
  if (reset) clock.reset();
  if (freeze === true) clock.freeze();
  if (time !== undefined) clock.set(new Date(time));
  if (freeze === false) clock.unfreeze();
}
