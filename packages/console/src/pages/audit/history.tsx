/** Who changed an object: a tab of its page. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ControlData } from '../../api/clients.ts';
import type { HistoryTopic } from '../../api/live/live-events.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useRead } from '../../api/use-read.ts';
import { AuditActor, type ShownEvent } from '../../components/changes/audit-actor.tsx';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Icon } from '../../components/icon.tsx';
import type { ObjectTab } from '../../components/object-page.tsx';
import { PageSection } from '../../components/section.tsx';
import { RelativeTime } from '../../components/server-time.tsx';
import { AuditObjects } from './audit-objects.tsx';
import { EventChanges, summarizeEvent } from './event-changes.tsx';

interface HistoryProps {
  readonly entity: 'user' | 'group' | 'client' | 'business';
  readonly id: string;
}

/** More events are on the page of the audit log. */
const maxShown = 20;

export function buildHistoryTab(entity: HistoryProps['entity'], id: string): ObjectTab {
  return {
    name: 'history',
    title: 'History',
    command: `audit --${entity} ${quoteShellArgument(id)} --changed`,
    call: readHistory({ entity, id }),
    render: () => <History entity={entity} id={id} />,
  };
}

function readHistory({ entity, id }: HistoryProps): ApiRequest<ControlData<'/audit'>> {
  const query = { entity, object: id, changed: true, limit: maxShown } as const;
  return ({ control }, signal) => control.GET('/audit', { params: { query }, signal });
}

function History({ entity, id }: HistoryProps) {
  const read = readHistory({ entity, id });
  const { data, error, refetch } = useRead([`history of ${id}` satisfies HistoryTopic, entity], read);
  return (
    <PageSection
      title="History"
      emptyText={data?.length === 0 ? 'No change is among the latest events.' : undefined}
      actions={
        <Anchor component={Link} to="/audit" search={{ entity, object: id, event: 'all' } as never} size="sm">
          All events
        </Anchor>
      }
    >
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
      <div className="history">
        {data?.map((event) => (
          <HistoryEntry key={event.sequence} event={event} id={id} />
        ))}
      </div>
    </PageSection>
  );
}

function HistoryEntry({ event, id }: { readonly event: ShownEvent; readonly id: string }) {
  return (
    <details>
      <summary>
        <Icon name="chevron" />
        <RelativeTime at={event.time} />
        <span className="history-event">
          <AuditActor event={event} isPlain />
          <span>{event.operation}</span>
          <AuditObjects objects={event.objects} exceptId={id} isPlain />
          <Text span inherit c="dimmed">
            {summarizeEvent(event)}
          </Text>
        </span>
      </summary>
      <Stack gap="xs" className="history-changes">
        <Group gap="xs">
          <AuditActor event={event} />
          <AuditObjects objects={event.objects} exceptId={id} />
        </Group>
        <EventChanges event={event} />
      </Stack>
    </details>
  );
}
