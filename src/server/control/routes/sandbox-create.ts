/** POST /_iam/sandboxes */
import * as z from 'zod';
import { maxSandboxes, sandboxIdleMinutes } from '../../sandboxes.ts';
import { defineRoute } from '../define.ts';
import { SandboxItem, SandboxName } from '../state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.sandbox-create',
  title: 'Makes a sandbox',
  description: `A whole service of its own at /s/NAME, with its control plane at /s/NAME/_iam: it begins with what the seed says, and has its own users, keys, messages, limits, faults and clock, which begins as that of the server stands then. One that is there stays as it is. On a server that only this machine reaches the first call below /s/NAME makes it as well. It lives in memory, and goes when nobody has called it for ${sandboxIdleMinutes} minutes. There are ${maxSandboxes} at most; another one takes the place of one that was only read since its first call.`,
  method: 'POST',
  path: '/sandboxes',
  audit: { kind: 'administration', targets: {} },
  status: [200, 400, 401, 403, 404, 412, 422, 500],
  request: { body: z.strictObject({ name: SandboxName }) },
  response: { status: 200, body: SandboxItem },
  errors: ['TOO_MANY_SANDBOXES', 'PATH_UNKNOWN'],

  async handle({ body: { name } }, { sandboxes }) {
    await sandboxes.open(name, true);
    return sandboxes.view(name);
  },
});
