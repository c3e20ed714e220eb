/** GET /_iam/inbox/wait */
import { apiError } from '../../../contract/errors.ts';
import { Id } from '../../../contract/schemas.ts';
import type { Message } from '../../store/tables.ts';
import { type ControlContext, defineRoute } from '../define.ts';
import { InboxFilters, InboxItem, type InboxQuery, listMessages, toInboxItem } from '../inbox-items.ts';
import { Timeout, withTimeout } from '../wait-timeout.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.inbox-wait',
  title: 'Waits for a message',
  description:
    'The newest message that is there; with after, the first that came after that one. Where there is none it waits for it, and answers 404 when the time is over.',
  method: 'GET',
  path: '/inbox/wait',
  audit: { kind: 'read', targets: {} },
  status: [200, 400, 401, 403, 404, 429, 500],
  request: {
    query: {
      ...InboxFilters,
      after: Id.optional().describe('Id of a message: only those that came later'),
      timeout: Timeout,
    },
  },
  response: { status: 200, body: InboxItem },
  errors: ['MESSAGE_NOT_FOUND', 'TOO_MANY_WAITERS'],

  async handle({ query: { timeout, ...query } }, context) {
    const message = await withTimeout(timeout, context, (signal) =>
      context.outbox.waitFor(() => findMessage(context, query), signal),
    );
    if (!message) throw apiError('MESSAGE_NOT_FOUND');
    return toInboxItem(message, context);
  },
});

async function findMessage(
  context: ControlContext,
  query: InboxQuery & { readonly after?: string | undefined },
): Promise<Message | undefined> {
  const rows = await listMessages(context, query);
  return rows.at(query.after === undefined ? -1 : 0);
}
