import * as z from 'zod';
import { isAllowed } from '../../../../contract/roles.ts';
import { singleLine } from '../../../../contract/schemas/primitives.ts';
import { authorizationError } from '../../../auth/authorize.ts';
import listGroups from '../../../operations/groups/list.ts';
import type { ControlContext } from '../../../request-context.ts';
import { AuditItem, mayReadValues } from '../../audit-items.ts';
import { defineRoute, maintainRoles } from '../../define.ts';
import { createEventStream, StreamEndData } from '../../event-stream.ts';
import { InboxItem } from '../../inbox-items.ts';
import { RequestItem } from '../../request-items.ts';
import { ClockView } from '../clock/clock-state.ts';
import { FaultItem } from '../faults/fault-items.ts';
import { createEventReader, eventTopics } from './event-reader.ts';

type Topic = (typeof eventTopics)[number];

const EventData = z
  .strictObject({
    message: InboxItem.optional().describe('Topic inbox: a new message'),
    request: RequestItem.optional().describe('Topic requests: a new request'),
    audit: AuditItem.optional().describe('Topic audit: a new audit event'),
    clock: ClockView.optional().describe('Topic clock: the clock at the start of the stream and after each change'),
    faults: z
      .array(FaultItem)
      .optional()
      .describe('Topic faults: all rules at the start of the stream and after each change, also of their counts'),
    missed: z
      .array(z.enum(eventTopics))
      .optional()
      .describe('Topics of which events are missing before this one: read their lists again'),
    end: StreamEndData.optional(),
  })
  .describe('Exactly one of the fields');

const isTopic = (name: string): name is Topic => (eventTopics as readonly string[]).includes(name);
const topicList = eventTopics.join(', ');

const Position = singleLine(128, 'Id of an event: only later events').optional();

export default defineRoute({
  capability: 'read',
  id: 'control.events',
  title: 'Stream all kinds of events as server-sent events',
  description:
    'One stream (EventSource in the HTML standard) for messages, requests, audit events, clock and faults. The event name is the topic. With the header Last-Event-ID, which browsers send when they reconnect, or with after, it continues after that event; if the server no longer has what follows, an event missed names the topics. A comment is sent every 15 seconds as a heartbeat. A client that reads nothing for 15 seconds is disconnected and can resume. The stream ends when the server stops or the sandbox is deleted. On a server with remote access the caller is checked again before events are sent and every 15 seconds; an event end with status and errors is the last one for a caller that may read no more. The topic inbox shows codes: on a server with remote access it requires the roles of GET /_iam/inbox. The topic audit shows values before and after a change to callers with these roles only.',
  method: 'GET',
  path: '/events',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      topics: singleLine(64, `One or more of ${topicList}, separated by commas; default: requests, clock, faults`)
        .refine((text) => text.split(',').every(isTopic), `must be one or more of ${topicList}, separated by commas`)
        .optional()
        .meta({ examples: ['inbox,requests'] }),
      after: Position.meta({ examples: ['64b0c0ffee00000000000001..42.7'] }),
    },
    headers: {
      'Last-Event-ID': Position.meta({
        description: 'Like after; takes precedence',
        examples: ['64b0c0ffee00000000000001..42.7'],
      }),
    },
  },
  response: { status: 200, body: EventData, stream: true },
  errors: ['TOO_MANY_WAITERS'],

  async handle({ query: { topics = 'requests,clock,faults', after }, headers }, context) {
    const selected = new Set(topics.split(',').filter(isTopic));
    const showsCodes = selected.has('inbox');
    if (showsCodes) await assertMaySeeCodes(context);
    const showsValues = selected.has('audit') && mayReadValues(context);
    const look = await createEventReader(context, selected, {
      after: headers['Last-Event-ID'] ?? after,
      showsValues,
    });
    const subscription = context.observability.eventSubscribers.subscribe(look, context.disconnectSignal());
    return createEventStream(subscription, (event) => event, showsCodes || showsValues ? maintainRoles : undefined);
  },
});

/** @throws IamError ROLE_MISSING. */
async function assertMaySeeCodes({ settings, store, caller }: ControlContext): Promise<void> {
  // Without remote access, callers are not authenticated.
  if (!settings.allowRemote || isAllowed(maintainRoles, caller)) return;
  throw await authorizationError(maintainRoles, caller, { store, groupReaders: listGroups.roles });
}
