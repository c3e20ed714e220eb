/** DELETE /_iam/inbox */
import { defineRoute } from '../define.ts';
import { emptyInbox } from '../inbox-items.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.inbox-empty',
  title: 'Empties the inbox',
  description: 'Removes every message, but for those that still wait for their relay. Codes stay good.',
  method: 'DELETE',
  path: '/inbox',
  audit: { kind: 'administration', targets: {} },
  status: [204, 401, 403, 500],
  request: {},
  response: { status: 204 },
  errors: [],

  async handle(_input, { store }) {
    await emptyInbox(store);
    return undefined;
  },
});
