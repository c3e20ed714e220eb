/** POST /_iam/state/reset */
import * as z from 'zod';
import { defineRoute } from '../define.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.state-reset',
  title: 'Goes back to the beginning',
  description:
    'To what a fresh start with the same seed gives, or to nothing but what every first start makes. Clients, user and secrets of the first start are what they were when this server started. Signing keys stay, and revoked tokens stay revoked. Failed logins are forgotten.',
  method: 'POST',
  path: '/state/reset',
  audit: { kind: 'administration', targets: {} },
  status: [204, 400, 401, 403, 422, 500],
  request: {
    body: z.strictObject({
      to: z
        .enum(['seed', 'empty'])
        .default('seed')
        .describe('seed: with what the seed says, which is the same as empty where there is none; empty: without'),
    }),
  },
  response: { status: 204 },
  errors: [],

  async handle({ body: { to } }, { state }) {
    await state.reset(to);
    return undefined;
  },
});
