/** One audit event. */
import { Anchor, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { AuditActor, type ShownEvent } from '../../components/changes/audit-actor.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { formatTime, ServerTime } from '../../components/server-time.tsx';
import { AuditResult } from './audit-columns.tsx';
import { AuditObjects } from './audit-objects.tsx';
import { EventChanges } from './event-changes.tsx';

interface AuditDetailProps {
  /** Undefined if the list does not have it. */
  readonly event: ShownEvent | undefined;
}

export function AuditDetail({ event }: AuditDetailProps) {
  return event ? <EventContent event={event} /> : <NoEvent />;
}

function EventContent({ event }: { readonly event: ShownEvent }) {
  const { operation, objects, requestId, remoteAddress, time } = event;
  return (
    <Stack gap="md">
      <ObjectFacts
        label="Event"
        facts={{
          What: operation,
          Who: <AuditActor event={event} />,
          Object: objects.length === 0 ? undefined : <AuditObjects objects={objects} limit={20} />,
          Result: <AuditResult event={event} />,
          Error: event.error,
          Reason: event.reason,
          Repeated:
            event.repeated === undefined
              ? undefined
              : `${event.repeated} more like it, since ${formatTime(event.since ?? time)}`,
          Rule: event.rule,
          From: event.byConsole ? `${remoteAddress}, by the console` : remoteAddress,
          Server: event.server,
          Request: <RequestLink event={event} />,
          'Id of the caller': event.callerRequestId,
          Trace: event.traceId,
          Time: <ServerTime at={time} />,
        }}
      />
      <Title order={2} size="h5">
        Before and after
      </Title>
      <EventChanges key={requestId} event={event} />
    </Stack>
  );
}

/** The request log has no requests to the control plane. */
function RequestLink({ event: { operation = '', requestId } }: { readonly event: ShownEvent }) {
  if (operation.startsWith('control.')) return requestId;
  return (
    <Anchor component={Link} to="/requests/$" params={{ _splat: requestId } as never} inherit underline="always">
      {requestId}
    </Anchor>
  );
}

function NoEvent() {
  return (
    <EmptyState icon="audit" title="This event is not in the list">
      A filter leaves it out, it is further down in the list, or the server has it no longer.
    </EmptyState>
  );
}
