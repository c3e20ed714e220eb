import * as z from 'zod';
import { definition } from '../../../../contract/entities.ts';
import { maxSandboxes, sandboxIdleMinutes } from '../../../sandboxes/sandboxes.ts';
import { defineRoute } from '../../define.ts';
import { explainSeedErrors, SeedBody } from '../seed/seed-body.ts';
import { CreatedSandbox, SandboxName } from './sandbox-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  id: 'control.sandbox-create',
  title: 'Create a sandbox',
  description: `A separate service at /s/NAME, with its control plane at /s/NAME/_iam. It starts with the seed of the server, or with new bootstrap data and the seed in the body, to which its resets return. With the seed of the server, it is administered by the administrators of the server. With a seed in the body, it has administrators of its own, whose secrets are only in this response, and external systems are embedded. It has its own users, keys, messages, limits, faults and clock (a copy of the server clock at creation). An existing sandbox is not changed; with a seed, an existing name is an error. An invalid seed creates nothing, and the response contains every error with its path. On a server without remote access, the first request below /s/NAME also creates the sandbox. A sandbox is in memory and is deleted after ${sandboxIdleMinutes} minutes without a request. The limit is ${maxSandboxes} sandboxes; a new one replaces one that has only been read since its first request.`,
  method: 'POST',
  path: '/sandboxes',
  audit: { kind: 'administration', isChange: true, targets: { body: ['name'] } },
  request: {
    body: z.strictObject({ name: SandboxName.meta(definition('sandbox', 'name')), seed: SeedBody.optional() }),
    bodyChecks: 'async',
  },
  response: { status: 200, body: CreatedSandbox, secret: true },
  errors: ['SANDBOX_EXISTS', 'TOO_MANY_SANDBOXES', 'PATH_UNKNOWN', 'FIELD_VALUE', 'TOO_BUSY'],
  openapiExamples: { body: { name: 'checkout', seed: { groups: [{ groupName: 'ops', roles: ['DEPLOY'] }] } } },

  async handle({ body: { name, seed } }, { sandboxes }) {
    if (!seed) {
      await sandboxes.open(name, true);
      return sandboxes.view(name);
    }
    const { bootstrapped } = await explainSeedErrors(['seed'], () => sandboxes.create(name, seed));
    return { ...sandboxes.view(name), ...bootstrapped };
  },
});
