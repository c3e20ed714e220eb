/** One user: contacts, lock and business, and in tabs what it may do, its sessions, messages and requests, and its history. */
import type { ApiRequest } from '../../../api/requests.ts';
import { useVersioned } from '../../../api/use-versioned.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { ObjectPage, type ObjectTab } from '../../../components/object-page.tsx';
import { buildHistoryTab } from '../../audit/history.tsx';
import { buildMessagesTab } from '../../inbox/user-messages.tsx';
import { buildRequestsTab } from '../../requests/caller-requests.tsx';
import { UserActions } from '../actions/user-actions.tsx';
import type { ShownUser } from '../shown-user.ts';
import { UserConsents } from './user-consents.tsx';
import { ContactSection } from './user-contacts.tsx';
import { UserFacts } from './user-facts.tsx';
import { UserGroups } from './user-groups.tsx';
import { UserRoles } from './user-roles.tsx';
import { UserSessions } from './user-sessions.tsx';

export function UserPage({ userId }: { readonly userId: string }) {
  const read: ApiRequest<ShownUser> = ({ control }, signal) =>
    control.GET('/users/{id}', { params: { path: { id: userId } }, signal });
  const query = useVersioned(['users', 'one', userId], read);
  return (
    <ObjectPage
      list={{ path: '/users', title: 'All users' }}
      title="User"
      nameOf={({ value: { userId: id, userName: name } }) => ({ id, name })}
      query={query}
      command={`users get ${quotePositional(userId)}`}
      call={read}
      renderActions={(current) => <UserActions current={current} />}
      listTabs={({ value }) => listUserTabs(value)}
    >
      {({ value: user }) => (
        <>
          <UserFacts user={user} />
          <ContactSection user={user} />
        </>
      )}
    </ObjectPage>
  );
}

function listUserTabs(user: ShownUser): ObjectTab[] {
  return [
    { name: 'access', title: 'Access', render: () => <UserAccess user={user} /> },
    { name: 'sessions', title: `Sessions (${user.sessions})`, render: () => <UserSessions user={user} /> },
    buildMessagesTab(user.userId),
    buildRequestsTab(user.userId),
    buildHistoryTab('user', user.userId),
  ];
}

function UserAccess({ user }: { readonly user: ShownUser }) {
  return (
    <>
      <UserGroups user={user} />
      <UserRoles user={user} />
      <UserConsents user={user} />
    </>
  );
}
