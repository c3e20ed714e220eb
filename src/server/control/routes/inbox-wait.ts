/** GET /_iam/inbox/wait */
import { z } from 'zod';
import { fault } from '../../../contract/errors.ts';
import { Id } from '../../../contract/schemas.ts';
import type { Reader } from '../../store/store.ts';
import type { Message } from '../../store/tables.ts';
import { defineRoute, forAdministrators } from '../define.ts';
import { InboxFilters, InboxItem, type InboxQuery, inboxItem, messagesFor } from '../inbox-items.ts';

const usualSeconds = 10;
const mostSeconds = 60;

const Seconds = z
  .string()
  .regex(/^\d{1,2}s?$/, 'must be seconds, such as 10 or 10s')
  .refine((text) => secondsOf(text) <= mostSeconds, `must be at most ${mostSeconds} seconds`);

export default defineRoute({
  ...forAdministrators,
  id: 'control.inbox-wait',
  title: 'Waits for a message',
  description:
    'The newest message that is there; with after, the first that came after that one. Where there is none it waits for it, and answers 404 when the time is over.',
  method: 'GET',
  path: '/inbox/wait',
  status: [200, 400, 401, 403, 404, 429, 500],
  request: {
    query: {
      ...InboxFilters,
      after: Id.optional().describe('Id of a message: only those that came later'),
      timeout: Seconds.optional().describe(
        `How long to wait: seconds, with or without an s, at most ${mostSeconds}; ${usualSeconds} where missing`,
      ),
    },
  },
  response: { status: 200, body: InboxItem },
  errors: ['MESSAGE_NOT_FOUND', 'TOO_MANY_WAITERS'],

  async handle({ query }, context) {
    const signal = context.gone();
    const over = new AbortController();
    const giveUp = () => over.abort();
    signal.addEventListener('abort', giveUp);
    const timer = setTimeout(giveUp, secondsOf(query.timeout ?? String(usualSeconds)) * 1000);
    try {
      const message = await context.outbox.waitFor(() => wanted(context.store, query), over.signal);
      if (!message) throw fault('MESSAGE_NOT_FOUND');
      return await inboxItem(message, context);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  },
});

async function wanted(
  store: Reader,
  { after, ...filters }: InboxQuery & { readonly after?: string | undefined },
): Promise<Message | undefined> {
  const rows = await messagesFor(store, filters);
  return after === undefined ? rows.at(-1) : rows.find(({ messageId }) => messageId > after);
}

function secondsOf(text: string): number {
  return Number.parseInt(text, 10);
}
