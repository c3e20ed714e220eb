/** Reads the events of several topics after a position. */
import type { RequestLog } from '../../../observability/request-log.ts';
import type { ControlContext } from '../../../request-context.ts';
import { toAuditItems } from '../../audit-items.ts';
import { findLastMessageId, maxEventsPerRead, readNewMessages, type ServerEvent } from '../../event-stream.ts';
import { toInboxItem } from '../../inbox-items.ts';
import { toRequestItem } from '../../request-items.ts';
import { toClockView } from '../clock/clock-state.ts';
import { toFaultItem } from '../faults/fault-items.ts';

export const eventTopics = ['inbox', 'requests', 'audit', 'clock', 'faults'] as const;

type Topic = (typeof eventTopics)[number];

/** Clock and faults have no position: their events contain the whole state. */
interface Position {
  /** Id of the last message; undefined if there was none, `unread` without the topic inbox. */
  messageId: string | undefined;
  /** Sequence number of the next request. */
  sequence: number;
  /** Sequence number of the next audit event. */
  auditSequence: number;
}

/**
 * Creates the function that returns the next events, oldest first in each topic; undefined if there are none.
 * @param after the id of the last event that the client received
 * @param showsValues whether audit events contain values before and after changes
 */
export async function createEventReader(
  context: ControlContext,
  topics: ReadonlySet<Topic>,
  { after, showsValues }: { readonly after: string | undefined; readonly showsValues: boolean },
): Promise<() => Promise<readonly ServerEvent[] | undefined>> {
  const { requestLog, startId } = context.observability;
  const { auditTrail } = context;
  const sequence = requestLog.range().next;
  const resumed = after === undefined ? undefined : parsePosition(after, startId);
  const messageId = topics.has('inbox') && !hasMessageId(resumed) ? await findLastMessageId(context) : unread;
  const position: Position = { messageId, sequence, auditSequence: auditTrail.next, ...resumed };
  const missed = new Set(after === undefined ? [] : findUnknown(resumed));
  const states = createStateReaders(context, topics);
  const toEvent = (name: string, data: object): ServerEvent => ({ id: formatPosition(position, startId), name, data });

  return async () => {
    const events: ServerEvent[] = [];
    if (position.sequence < requestLog.range().first) missed.add('requests');
    if (auditTrail.hasMissed(position.auditSequence)) missed.add('audit');
    const shown = [...missed].filter((topic) => topics.has(topic));
    missed.clear();
    if (shown.length > 0) events.push(toEvent('missed', { missed: shown }));
    for (const state of states) {
      const data = state();
      if (data) events.push(toEvent(data.topic, data.data));
    }
    if (topics.has('requests'))
      for (const entry of takeRequests(requestLog, position)) events.push(toEvent('requests', { request: entry }));
    if (topics.has('audit')) {
      const next = auditTrail.since(position.auditSequence).slice(0, maxEventsPerRead);
      position.auditSequence = (next.at(-1)?.sequence ?? auditTrail.next - 1) + 1;
      for (const item of await toAuditItems(context, next, showsValues)) events.push(toEvent('audit', { audit: item }));
    }
    if (topics.has('inbox'))
      for (const message of await readNewMessages(context, { after: position.messageId })) {
        position.messageId = message.messageId;
        events.push(toEvent('inbox', { message: await toInboxItem(message, context) }));
      }
    return events.length === 0 ? undefined : events;
  };
}

/** Advances the position with each request. */
function* takeRequests(requestLog: RequestLog, position: Position) {
  let count = 0;
  for (const entry of requestLog.oldestFirst(position.sequence)) {
    position.sequence = entry.sequence + 1;
    yield toRequestItem(entry);
    count += 1;
    if (count === maxEventsPerRead) return;
  }
  // Entries that were evicted or cleared are reported once.
  position.sequence = Math.max(position.sequence, requestLog.range().first);
}

interface StateEvent {
  readonly topic: 'clock' | 'faults';
  readonly data: object;
}

/** Functions that return the state of a topic when it differs from what they returned before. */
function createStateReaders(
  { clock, observability }: ControlContext,
  topics: ReadonlySet<Topic>,
): (() => StateEvent | undefined)[] {
  const readers: (() => StateEvent | undefined)[] = [];
  if (topics.has('clock'))
    readers.push(
      onChange('clock', () => {
        const view = toClockView(clock);
        // A running clock changes all the time: what counts is its adjustment.
        return { data: { clock: view }, key: JSON.stringify(view.frozen ? view : view.offset) };
      }),
    );
  if (topics.has('faults'))
    readers.push(
      onChange('faults', () => {
        const data = { faults: observability.faults.list().map(toFaultItem) };
        return { data, key: JSON.stringify(data) };
      }),
    );
  return readers;
}

function onChange(topic: StateEvent['topic'], read: () => { readonly data: object; readonly key: string }) {
  let last: string | undefined;
  return (): StateEvent | undefined => {
    const { data, key } = read();
    if (key === last) return undefined;
    last = key;
    return { topic, data };
  };
}

/** Takes the place of a message id. Finding the last message reads all messages, so only streams of the inbox do. */
const unread = '-';

/** `startId.messageId.sequence.auditSequence`. */
function formatPosition({ messageId = '', sequence, auditSequence }: Position, startId: string): string {
  return `${startId}.${messageId}.${sequence}.${auditSequence}`;
}

/** The known part of a position: after a restart only the message. */
function parsePosition(after: string, startId: string): Partial<Position> {
  const [, start, messageId, digits, auditDigits] =
    /^([^.]{1,64})\.([^.]{0,64})\.(\d{1,15})\.(\d{1,15})$/.exec(after) ?? [];
  if (start === undefined) return {};
  return {
    ...(messageId === unread ? {} : { messageId: messageId === '' ? undefined : messageId }),
    ...(start === startId ? { sequence: Number(digits), auditSequence: Number(auditDigits) } : {}),
  };
}

function findUnknown(resumed: Partial<Position> | undefined): Topic[] {
  const unknown: Topic[] = [];
  if (resumed?.sequence === undefined) unknown.push('requests', 'audit');
  if (!hasMessageId(resumed)) unknown.push('inbox');
  return unknown;
}

function hasMessageId(resumed: Partial<Position> | undefined): boolean {
  return resumed !== undefined && 'messageId' in resumed;
}
