/** The columns of the list of audit events. */
import { Badge } from '@mantine/core';
import { AuditActor, type ShownEvent } from '../../components/changes/audit-actor.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { RelativeTime } from '../../components/server-time.tsx';
import { AuditObjects } from './audit-objects.tsx';
import { summarizeEvent } from './event-changes.tsx';

const colors = { granted: 'green', refused: 'orange', failed: 'red' } as const;

export function AuditResult({ event: { result, error } }: { readonly event: ShownEvent }) {
  return (
    <Badge color={colors[result]} title={error}>
      {result}
    </Badge>
  );
}

export const auditColumns: RowColumn<ShownEvent>[] = [
  { title: 'What', width: 'minmax(8rem, 2fr)', render: ({ operation = 'no operation' }) => operation },
  { title: 'Who', width: 'minmax(9.5rem, 1.2fr)', phone: 'detail', render: (event) => <AuditActor event={event} /> },
  {
    title: 'Object',
    isOptional: true,
    width: 'minmax(11rem, 2fr)',
    phone: 'detail',
    render: ({ objects }) => <AuditObjects objects={objects} limit={1} />,
  },
  { title: 'Changes', isOptional: true, width: 'minmax(8rem, 1.5fr)', render: summarizeEvent },
  { title: 'Result', width: '5.5rem', phone: 'end', render: (event) => <AuditResult event={event} /> },
  {
    title: 'From',
    isOptional: true,
    width: '7.5rem',
    // The event itself has the address too.
    render: ({ remoteAddress, byConsole }) => (byConsole ? 'the console' : remoteAddress),
  },
  { title: 'Time', width: '5.9rem', phone: 'detailEnd', render: ({ time }) => <RelativeTime at={time} /> },
];
