import { defineRoute } from '../../define.ts';
import { emptyInbox } from '../../inbox-items.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.inbox-empty',
  title: 'Empty the inbox',
  description: 'Deletes all messages except those that wait for their relay. Codes stay valid.',
  method: 'DELETE',
  path: '/inbox',
  audit: { kind: 'administration', isChange: true, targets: {} },
  request: {},
  response: { status: 204 },
  errors: [],

  async handle(_input, { store }) {
    await emptyInbox(store);
  },
});
