/** Server-sent events (EventSource in the HTML standard) of the control plane. */
import * as z from 'zod';
import { ErrorItemSchema } from '../../contract/error-body.ts';
import type { TextStream } from '../../contract/operation.ts';
import type { RoleExpression } from '../../contract/roles.ts';
import type { Subscription } from '../lib/subscribers.ts';
import type { ControlContext } from '../request-context.ts';
import type { Message } from '../store/tables.ts';
import { type InboxQuery, listMessages } from './inbox-items.ts';

/** The data of the event `end`. */
export const StreamEndData = z
  .strictObject({
    status: z.int().describe('The status that a new request would get'),
    errors: z.array(ErrorItemSchema),
  })
  .describe('Event end: why the caller may read no more');

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
  /** Where a client resumes after this event; absent if it does not change that. */
  readonly id?: string;
  /** Default: message. */
  readonly name?: string;
  readonly data: unknown;
}

/**
 * The stream of a subscription: one event for each item. An event `end` is the last one if the caller may read no more.
 * @param roles of a caller that may read these events, if they are more than those of the route.
 */
export function createEventStream<Item>(
  { items, endSignal }: Subscription<readonly Item[]>,
  toEvent: (item: Item) => Promise<ServerEvent> | ServerEvent,
  roles?: RoleExpression,
): TextStream {
  return {
    contentType: 'text/event-stream; charset=utf-8',
    chunks: formatBatches(items, toEvent),
    heartbeat: ':\n\n',
    closed: endSignal,
    roles,
    formatEnd: (reason) => formatEvent({ name: 'end', data: { end: reason } }),
  };
}

/** One chunk for the events that are found together. */
async function* formatBatches<Item>(
  found: AsyncIterable<readonly Item[]>,
  toEvent: (item: Item) => Promise<ServerEvent> | ServerEvent,
): AsyncIterable<string> {
  for await (const items of found) {
    let batch = '';
    for (const item of items) batch += formatEvent(await toEvent(item));
    yield batch;
  }
}

/** JSON contains no line break, so the data is one line. */
function formatEvent({ id, name, data }: ServerEvent): string {
  const position = id === undefined ? '' : `id: ${id}\n`;
  const type = name === undefined ? '' : `event: ${name}\n`;
  return `${position}${type}data: ${JSON.stringify(data)}\n\n`;
}
