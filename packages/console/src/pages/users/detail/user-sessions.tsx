/** The active sessions of a user. */
import { type RowColumn, RowList } from '../../../components/row-list.tsx';
import { PageSection } from '../../../components/section.tsx';
import { RelativeTime } from '../../../components/server-time.tsx';
import { CopyId, Subject } from '../../../components/subject.tsx';
import { shortenId } from '../../../components/subject-id.ts';
import { SessionLevel } from '../../sessions/session-columns.tsx';
import { EndUserSession, EndUserSessions } from '../actions/user-actions.tsx';
import type { ShownUser } from '../shown-user.ts';

const columns: RowColumn<ShownUser['activeSessions'][number]>[] = [
  {
    title: 'Client',
    width: 'minmax(7.5rem, 2fr)',
    render: ({ clientId, clientName }) => <Subject kind="client" id={clientId} name={clientName} />,
  },
  {
    title: 'Session',
    width: '6.5rem',
    phone: 'detail',
    render: ({ sessionId }) => <CopyId id={sessionId}>{shortenId(sessionId)}</CopyId>,
  },
  { title: 'Level', width: '6.5rem', phone: 'end', render: ({ level }) => <SessionLevel level={level} /> },
  { title: 'Started', width: '5rem', render: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { title: 'Ends', width: '5rem', phone: 'detailEnd', render: ({ endsAt }) => <RelativeTime at={endsAt} /> },
  {
    title: 'Action',
    width: '3rem',
    phone: 'action',
    render: ({ sessionId }) => <EndUserSession sessionId={sessionId} />,
  },
];

export function UserSessions({ user }: { readonly user: ShownUser }) {
  const { activeSessions, sessions } = user;
  return (
    <PageSection
      actions={sessions === 0 ? undefined : <EndUserSessions user={user} />}
      title={`Active sessions (${sessions})`}
      emptyText={sessions === 0 ? 'No active sessions. A session starts when the user logs in.' : undefined}
    >
      <RowList
        label="Sessions"
        rows={activeSessions}
        columns={columns}
        keyOf={({ sessionId }) => sessionId}
        isCounted={false}
      />
    </PageSection>
  );
}
