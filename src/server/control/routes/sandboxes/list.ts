import { PageQuery } from '../../../../contract/schemas/primitives.ts';
import { toPage } from '../../../store/pages.ts';
import { defineRoute } from '../../define.ts';
import { SandboxItem } from './sandbox-schemas.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.sandboxes',
  title: 'List sandboxes',
  description: 'Sorted by name. Sandboxes cannot be nested: inside a sandbox the list is empty.',
  method: 'GET',
  path: '/sandboxes',
  audit: { kind: 'read', targets: {} },
  request: { query: PageQuery },
  response: { page: SandboxItem },
  errors: [],

  async handle(_input, { sandboxes, range: { after = '', limit } }) {
    const rest = sandboxes.list().filter(({ name }) => name > after);
    return toPage(rest.slice(0, limit + 1), limit, ({ name }) => name);
  },
});
