/** The active sessions of a user. */
import { Badge } from '@mantine/core';
import { DataTable } from '../../../components/data-table.tsx';
import { PageSection } from '../../../components/section.tsx';
import { RelativeTime } from '../../../components/server-time.tsx';
import { CopyId, Subject } from '../../../components/subject.tsx';
import { shortenId } from '../../../components/subject-id.ts';
import { EndUserSession, EndUserSessions } from '../actions/user-actions.tsx';
import type { ShownUser } from '../shown-user.ts';

export function UserSessions({ user }: { readonly user: ShownUser }) {
  const { activeSessions, sessions } = user;
  return (
    <PageSection
      actions={sessions === 0 ? undefined : <EndUserSessions user={user} />}
      title={`Active sessions (${sessions})`}
      emptyText={sessions === 0 ? 'No active sessions. A session starts when the user logs in.' : undefined}
    >
      <DataTable
        aria-label="Sessions"
        titles={['Session', 'Client', 'Level', 'Started', 'Ends', 'Action']}
        rows={activeSessions.map(({ sessionId, clientId, clientName, level, startedAt, endsAt }) => ({
          key: sessionId,
          cells: [
            <CopyId key="id" id={sessionId}>
              {shortenId(sessionId)}
            </CopyId>,
            <Subject key="client" kind="client" id={clientId} name={clientName} />,
            <Badge key="level" color="gray">
              {level}
            </Badge>,
            <RelativeTime key="started" at={startedAt} />,
            <RelativeTime key="ends" at={endsAt} />,
            <EndUserSession key="end" sessionId={sessionId} />,
          ],
        }))}
      />
    </PageSection>
  );
}
