/** One user: contacts, lock, groups, roles with the groups that give them, and sessions. */
import { Anchor, Loader, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PageTitle } from '../../../components/page-title.tsx';
import { UserActions } from '../actions/user-actions.tsx';
import { type ShownUser, useShownUser } from '../data/use-users.ts';
import { ContactSection } from './user-contacts.tsx';
import { UserFacts } from './user-facts.tsx';
import { UserGroups } from './user-groups.tsx';
import { UserRoles } from './user-roles.tsx';
import { UserSessions } from './user-sessions.tsx';

export function UserPage({ userId }: { readonly userId: string }) {
  const { data: user, error, isLoading, refetch } = useShownUser(userId);
  return (
    <Stack gap="md" style={{ overflowWrap: 'anywhere' }}>
      <Anchor component={Link} to="/users" underline="always" size="sm">
        All users
      </Anchor>
      <PageTitle actions={user === undefined ? undefined : <UserActions user={user} />}>
        <bdi>{user?.userName ?? 'User'}</bdi>
      </PageTitle>
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
      {isLoading ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {user === undefined ? undefined : <UserSections user={user} />}
    </Stack>
  );
}

function UserSections({ user }: { readonly user: ShownUser }) {
  return (
    <>
      <UserFacts user={user} />
      <ContactSection user={user} />
      <UserGroups user={user} />
      <UserRoles user={user} />
      <UserSessions user={user} />
      <Equivalents
        command={`users get ${quotePositional(user.userId)}`}
        call={{ path: `/_iam/users/${encodeURIComponent(user.userId)}` }}
      />
    </>
  );
}
