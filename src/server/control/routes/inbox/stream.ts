import { Id } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';
import { createEventStream, findLastMessageId, readNewMessages } from '../../event-stream.ts';
import { InboxFilters, InboxItem, toInboxItem } from '../../inbox-items.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.inbox-events',
  title: 'Stream messages as server-sent events',
  description:
    'Each event (EventSource in the HTML standard) contains a message as JSON and has its id. The stream starts with new messages; with after, or with the header Last-Event-ID that browsers send when they reconnect, it starts with the first message after that id, without gaps or duplicates. A comment is sent every 15 seconds as a heartbeat. A client that reads nothing for 15 seconds is disconnected and can resume. The stream ends when the server stops or the sandbox is deleted. On a server with remote access the caller is checked again before messages are sent and every 15 seconds; an event end with status and errors is the last one for a caller that may read no more.',
  method: 'GET',
  path: '/inbox/events',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...InboxFilters,
      after: Id.optional().meta({
        description: 'Id of a message: only later messages',
        examples: ['64b0c0ffee00000000000001'],
      }),
    },
    headers: {
      'Last-Event-ID': Id.optional().meta({
        description: 'Like after; takes precedence',
        examples: ['64b0c0ffee00000000000001'],
      }),
    },
  },
  response: { status: 200, body: InboxItem, stream: true },
  errors: ['TOO_MANY_WAITERS'],

  async handle({ query: { after: start, ...filters }, headers }, context) {
    let after = headers['Last-Event-ID'] ?? start ?? (await findLastMessageId(context));
    const look = async () => {
      const found = await readNewMessages(context, { ...filters, after });
      after = found.at(-1)?.messageId ?? after;
      return found.length === 0 ? undefined : found;
    };
    const subscription = context.outbox.subscribe(look, context.disconnectSignal());
    return createEventStream(subscription, async (message) => ({
      id: message.messageId,
      data: await toInboxItem(message, context),
    }));
  },
});
