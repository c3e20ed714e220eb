import * as z from 'zod';
import { exampleText, optionalText } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';

const KeyRotation = z.strictObject({
  kid: exampleText('2026-03-01-standin', 'Id of the new signing key'),
  idTokenKids: z
    .array(exampleText('2026-03-01-standin'))
    .optional()
    .describe('Ids of the new keys that sign ID tokens. Absent if there are no such keys'),
  signsFrom: z
    .string()
    .optional()
    .describe('From when on the key signs. Absent if it signs already: only servers that share a store wait')
    .meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  retired: z
    .array(
      z.strictObject({
        kid: exampleText('2026-03-01-standin'),
        until: optionalText('2026-03-01T12:00:00.000Z'),
      }),
    )
    .describe('Previous keys, and until when their tokens are accepted'),
});

export default defineRoute({
  capability: 'maintain',
  id: 'control.keys-rotate',
  title: 'Rotate the signing keys',
  description:
    'Creates a key of the same algorithm for access tokens, and for ID tokens if such a key exists, publishes it and signs with it immediately, or 10 seconds later if several servers share the store. A verifier that caches the JWK Set (allowed for five minutes) must fetch it again when it sees an unknown key id. Previous keys stay published until the last token that they signed expires.',
  method: 'POST',
  path: '/keys/rotate',
  audit: { kind: 'administration', isChange: true, targets: {} },
  request: {},
  response: { status: 200, body: KeyRotation },
  errors: [],

  async handle(_input, { keys }) {
    const { kid, idTokenKids, signsFrom, retired } = await keys.rotate();
    const from = signsFrom === undefined ? {} : { signsFrom: new Date(signsFrom * 1000).toISOString() };
    const created = { kid, ...(idTokenKids.length > 0 && { idTokenKids: [...idTokenKids] }), ...from };
    return { ...created, retired: retired.map((key) => ({ kid: key.kid, ...formatUntil(key.until) })) };
  },
});

function formatUntil(seconds: number | undefined): { until?: string } {
  return seconds === undefined ? {} : { until: new Date(seconds * 1000).toISOString() };
}
