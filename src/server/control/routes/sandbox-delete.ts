/** DELETE /_iam/sandboxes/{name} */
import { defineRoute } from '../define.ts';
import { SandboxName } from '../state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.sandbox-delete',
  title: 'Deletes a sandbox',
  description: 'With everything in it. A later one of this name begins anew, and takes none of its tokens.',
  method: 'DELETE',
  path: '/sandboxes/{name}',
  audit: { kind: 'administration', targets: { path: ['name'] } },
  status: [204, 401, 403, 404, 500],
  request: { params: { name: SandboxName } },
  response: { status: 204 },
  errors: ['SANDBOX_NOT_FOUND'],

  async handle({ params: { name } }, { sandboxes }) {
    sandboxes.delete(name);
    return undefined;
  },
});
