/** The active sessions of a user. */
import { Badge, Group, List, Text } from '@mantine/core';
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
      title={`Sessions (${sessions})`}
      emptyText={sessions === 0 ? 'No active sessions. A session starts when the user logs in.' : undefined}
    >
      <List listStyleType="none" spacing={4}>
        {activeSessions.map(({ sessionId, clientId, clientName, level, startedAt, endsAt }) => (
          <List.Item key={sessionId}>
            <Group gap="xs">
              <Badge color="gray">{level}</Badge>
              <Text size="sm">
                <CopyId id={sessionId}>{shortenId(sessionId)}</CopyId> by{' '}
                <Subject kind="client" id={clientId} name={clientName} />, started <RelativeTime at={startedAt} />, ends{' '}
                <RelativeTime at={endsAt} />
              </Text>
              <EndUserSession sessionId={sessionId} />
            </Group>
          </List.Item>
        ))}
      </List>
    </PageSection>
  );
}
