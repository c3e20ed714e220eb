import { reference } from '../../../../contract/entities.ts';
import { defineRoute } from '../../define.ts';
import { SandboxName } from './sandbox-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  id: 'control.sandbox-delete',
  title: 'Delete a sandbox',
  description:
    'Deletes the sandbox and all its data. A later sandbox with the same name starts from the seed and rejects the tokens of the deleted one.',
  method: 'DELETE',
  path: '/sandboxes/{name}',
  audit: { kind: 'administration', isChange: true, targets: { path: ['name'] } },
  request: { params: { name: SandboxName.meta(reference('sandbox', ['name'])) } },
  response: { status: 204 },
  errors: ['SANDBOX_NOT_FOUND'],

  async handle({ params: { name } }, { sandboxes }) {
    sandboxes.delete(name);
  },
});
