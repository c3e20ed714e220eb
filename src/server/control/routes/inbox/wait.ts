import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import type { ControlContext } from '../../../request-context.ts';
import type { Message } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { InboxFilters, InboxItem, type InboxQuery, listMessages, toInboxItem } from '../../inbox-items.ts';
import { Timeout, withTimeout } from '../../wait-timeout.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.inbox-wait',
  title: 'Wait for a message',
  description:
    'Returns the newest message; with after, the first message after that id. Without a matching message it waits, and returns 404 on timeout.',
  method: 'GET',
  path: '/inbox/wait',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...InboxFilters,
      after: Id.optional().meta({
        description: 'Id of a message: only later messages',
        examples: ['64b0c0ffee00000000000001'],
      }),
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
