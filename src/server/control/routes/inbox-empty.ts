/** DELETE /_iam/inbox */
import { defineRoute, forAdministrators } from '../define.ts';

export default defineRoute({
  ...forAdministrators,
  id: 'control.inbox-empty',
  title: 'Empties the inbox',
  description: 'Removes every message, but for those that still wait for their relay. Codes stay good.',
  method: 'DELETE',
  path: '/inbox',
  status: [204, 401, 403, 500],
  request: {},
  response: { status: 204 },
  errors: [],

  async handle(_input, { store }) {
    await store.transaction(async (tx) => {
      for (const { messageId, delivery } of await tx.messages.list())
        if (delivery !== 'waiting') await tx.messages.delete(messageId);
    });
    return undefined;
  },
});
