/** GET /_iam/inbox/events */
import { Id } from '../../../contract/schemas.ts';
import type { Message } from '../../store/tables.ts';
import { type ControlContext, defineRoute } from '../define.ts';
import { InboxFilters, InboxItem, type InboxQuery, listMessages, toInboxItem } from '../inbox-items.ts';

/** So many are read at a time, however many came. */
const maxPerRead = 100;

export default defineRoute({
  capability: 'maintain',
  id: 'control.inbox-events',
  title: 'Tells of messages as they come',
  description:
    'Server-sent events (the HTML standard, EventSource): each holds a message as JSON, and its id as the id of the event. Those that come from now on; with after, or with the header Last-Event-ID that browsers send when they connect again, all that came after that one, none missed and none twice. A comment is sent every 15 seconds. Who takes nothing for that long is dropped, and can go on where he was. It ends with the server, or with the sandbox.',
  method: 'GET',
  path: '/inbox/events',
  audit: { kind: 'read', targets: {} },
  status: [200, 400, 401, 403, 429, 500],
  request: {
    query: { ...InboxFilters, after: Id.optional().describe('Id of a message: those that came later') },
    headers: { 'Last-Event-ID': Id.optional().describe('The same, and goes before it') },
  },
  response: { status: 200, body: InboxItem, stream: true },
  errors: ['TOO_MANY_WAITERS'],

  async handle({ query: { after: given, ...filters }, headers }, context) {
    let after = headers['Last-Event-ID'] ?? given ?? (await findLastId(context));
    const look = async () => {
      const found = (await listMessages(context, { ...filters, after })).slice(0, maxPerRead);
      after = found.at(-1)?.messageId ?? after;
      return found.length === 0 ? undefined : found;
    };
    const { items: found, endSignal: over } = context.outbox.subscribe(look, context.disconnectSignal());
    return {
      contentType: 'text/event-stream; charset=utf-8',
      chunks: formatEvents(found, context),
      heartbeat: ':\n\n',
      closed: over,
    };
  },
});

/** Undefined where there is none: the first that comes is then new. */
async function findLastId(context: ControlContext): Promise<string | undefined> {
  return (await listMessages(context, {} satisfies InboxQuery)).at(-1)?.messageId;
}

async function* formatEvents(found: AsyncIterable<readonly Message[]>, context: ControlContext): AsyncIterable<string> {
  for await (const messages of found)
    for (const message of messages)
      yield `id: ${message.messageId}\ndata: ${JSON.stringify(await toInboxItem(message, context))}\n\n`;
}
