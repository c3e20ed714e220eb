import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { toPage } from '../../../store/pages.ts';
import { defineRoute } from '../../define.ts';
import { containsText, InboxFilters, InboxItem, listMessages, toInboxItem } from '../../inbox-items.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.inbox',
  title: 'List messages',
  description:
    'Codes and notices that were sent, newest first. New messages do not shift pages. Messages are stored for one week. Test recipients determine the outcome of a delivery: see recipients.md.',
  method: 'GET',
  path: '/inbox',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...PageQuery,
      ...InboxFilters,
      // A code is searched for, too.
      text: sensitive(
        singleLine(200, 'Only messages whose recipient, subject or text contains this, in any case'),
        'one-time',
      )
        .optional()
        .meta({ examples: ['Your code'] }),
    },
  },
  response: { page: InboxItem },
  errors: [],

  async handle({ query }, context) {
    const { after, limit } = context.range;
    const { to, purpose, userId, text } = query;
    const all = await listMessages(context, { to, purpose, userId });
    const rows = text === undefined ? all : all.filter((row) => containsText(row, text, context.storeSecret));
    const older = after === undefined ? rows : rows.filter(({ messageId }) => messageId < after);
    const newestFirst = older.slice(-limit - 1).reverse();
    const page = toPage(newestFirst, limit, ({ messageId }) => messageId);
    return { ...page, items: await Promise.all(page.items.map((message) => toInboxItem(message, context))) };
  },
});
