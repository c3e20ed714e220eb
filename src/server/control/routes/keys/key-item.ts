/** A signing key in responses of the control plane. */

import * as z from 'zod';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import type { KeyDescription } from '../../../tokens/key-states.ts';

const instant = exampleText('2026-03-01T12:00:00.000Z');

export const KeyItem = z.strictObject({
  kid: exampleText('iam-standin-5RtsV5mvnXcBqHjBpEzFk0vHGAvIwsYXyQKq0gGLnJ8'),
  alg: exampleText('ES256'),
  purpose: z.enum(['access-token', 'id-token']).describe('What it signs'),
  state: z
    .enum(['current', 'next', 'retired', 'expired'])
    .describe(
      'current signs new tokens; next does so in a few seconds, on servers that share a store; retired only verifies; expired does neither',
    ),
  createdAt: instant,
  retiredAt: instant.optional().describe('When another key replaced it'),
  expiresAt: instant.optional().describe('Until when its tokens are accepted'),
});

export function toKeyItem({ retiredAt, expiresAt, ...key }: KeyDescription): z.input<typeof KeyItem> {
  return {
    ...key,
    ...(retiredAt === undefined ? {} : { retiredAt: formatInstant(retiredAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) }),
  };
}

function formatInstant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
