/** POST /_iam/keys/rotate */
import * as z from 'zod';
import { defineRoute } from '../define.ts';

const KeyRotation = z.strictObject({
  kid: z.string().describe('The key that signs from now on'),
  retired: z
    .array(z.strictObject({ kid: z.string(), until: z.string().optional() }))
    .describe('Keys that sign no more, and until when their tokens are taken'),
});

export default defineRoute({
  capability: 'maintain',
  id: 'control.keys-rotate',
  title: 'Makes a new signing key',
  description:
    'Of the same algorithm. It is published and signs at once, so a verifier that keeps the JWK Set for the five minutes that it may has to ask again when it meets a key id that it does not know. Keys before it stay among the published ones until the last token that they signed is over.',
  method: 'POST',
  path: '/keys/rotate',
  audit: { kind: 'administration', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: KeyRotation },
  errors: [],

  async handle(_input, { keys }) {
    const { kid, retired } = await keys.rotate();
    return { kid, retired: retired.map((key) => ({ kid: key.kid, ...formatUntil(key.until) })) };
  },
});

function formatUntil(seconds: number | undefined): { until?: string } {
  return seconds === undefined ? {} : { until: new Date(seconds * 1000).toISOString() };
}
