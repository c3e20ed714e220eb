import * as z from 'zod';
import { defineRoute } from '../../define.ts';
import { resetState } from '../../reset-state.ts';

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  id: 'control.state-reset',
  title: 'Reset the state',
  description:
    'Resets to the state of a fresh start with the same seed, or to the bootstrap data only. The bootstrap clients, user and secrets are those of the start of this server. Signing keys remain, and revoked tokens stay revoked. Failed login counters and messages are cleared. The clock returns to that of the start (of a sandbox: of its creation), and fault rules, the request log and the coverage are deleted, as by `iam.reset()` of the library. Sandboxes are services of their own and remain: reset each at /s/NAME.',
  method: 'POST',
  path: '/state/reset',
  audit: { kind: 'administration', isChange: true, targets: {} },
  request: {
    body: z.strictObject({
      to: z
        .enum(['seed', 'empty'])
        .default('seed')
        .describe('seed: bootstrap data and the seed (if there is one); empty: bootstrap data only'),
    }),
  },
  response: { status: 204 },
  errors: [],

  async handle({ body: { to } }, context) {
    await resetState(context, to);
  },
});
