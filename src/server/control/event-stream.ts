/** Server-sent events (EventSource in the HTML standard) of the control plane. */
import type { TextStream } from '../../contract/operation.ts';
import type { Subscription } from '../lib/subscribers.ts';
import type { ControlContext } from '../request-context.ts';
import type { Message } from '../store/tables.ts';
import { type InboxQuery, listMessages } from './inbox-items.ts';

/** Max events that are read at a time. */
export const maxEventsPerRead = 100;

type MessageReader = Pick<ControlContext, 'store' | 'outbox'>;

/** The next messages that match, oldest first. */
export async function readNewMessages(
  reader: MessageReader,
  query: InboxQuery & { readonly after?: string | undefined },
): Promise<readonly Message[]> {
  return (await listMessages(reader, query)).slice(0, maxEventsPerRead);
}

/** Undefined if the inbox is empty: all messages are then new. */
export async function findLastMessageId(reader: MessageReader): Promise<string | undefined> {
  return (await listMessages(reader, {})).at(-1)?.messageId;
}

export interface ServerEvent {
  /** Where a client resumes after this event. */
  readonly id: string;
  /** Default: message. */
  readonly name?: string;
  readonly data: unknown;
}

/** The stream of a subscription: one event for each item. */
export function createEventStream<Item>(
  { items, endSignal }: Subscription<readonly Item[]>,
  toEvent: (item: Item) => Promise<ServerEvent> | ServerEvent,
): TextStream {
  return {
    contentType: 'text/event-stream; charset=utf-8',
    chunks: formatEvents(items, toEvent),
    heartbeat: ':\n\n',
    closed: endSignal,
  };
}

async function* formatEvents<Item>(
  found: AsyncIterable<readonly Item[]>,
  toEvent: (item: Item) => Promise<ServerEvent> | ServerEvent,
): AsyncIterable<string> {
  for await (const items of found) for (const item of items) yield formatEvent(await toEvent(item));
}

/** JSON contains no line break, so the data is one line. */
function formatEvent({ id, name, data }: ServerEvent): string {
  const type = name === undefined ? '' : `event: ${name}\n`;
  return `id: ${id}\n${type}data: ${JSON.stringify(data)}\n\n`;
}
