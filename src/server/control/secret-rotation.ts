/** Shared by the routes that rotate a client secret or an API key. */
import * as z from 'zod';
import { fieldError } from '../../contract/errors.ts';
import { optionalText } from '../../contract/schemas/primitives.ts';
import { maxOverlap, type RotationRequest } from '../directory/replaced-secrets.ts';
import { parseDuration } from '../lib/durations.ts';

export const RotationInput = z.strictObject({
  overlap: z
    .string()
    .refine((text) => isOverlap(parseDuration(text)), 'must be a duration from 0s to 30d, such as 15m or 24h')
    .optional()
    .meta({
      description: 'How long the replaced value stays valid, at most 30d; default: it ends at once',
      examples: ['24h'],
    }),
  keep: z
    .enum(['newest', 'oldest'])
    .optional()
    .describe('With overlap: which value stays valid if two are valid since an earlier rotation'),
});

function isOverlap(milliseconds: number | undefined): boolean {
  return milliseconds !== undefined && milliseconds >= 0 && milliseconds <= maxOverlap;
}

/** @throws IamError FIELD_MISSING for `keep` without an overlap. */
export function readRotation({ overlap = '0s', keep }: z.output<typeof RotationInput>): RotationRequest {
  const milliseconds = parseDuration(overlap) ?? 0;
  if (keep !== undefined && milliseconds === 0)
    throw fieldError(
      'FIELD_MISSING',
      ['overlap'],
      'keep requires an overlap: without one, all earlier values end at once.',
    );
  return { overlap: milliseconds, keep };
}

/** Field of a response; absent unless the previous value is still valid. */
export function previousEndsAt(what: string) {
  return optionalText('2026-03-02T12:00:00.000Z', `Until when the previous ${what} is valid, if it still is`);
}
