/** One user: contacts, lock, groups, roles with the groups that give them, and sessions. */
import type { ApiRequest } from '../../../api/requests.ts';
import { useRead } from '../../../api/use-read.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { ObjectPage } from '../../../components/object-page.tsx';
import { History } from '../../audit/history.tsx';
import { UserActions } from '../actions/user-actions.tsx';
import type { ShownUser } from '../shown-user.ts';
import { ContactSection } from './user-contacts.tsx';
import { UserFacts } from './user-facts.tsx';
import { UserGroups } from './user-groups.tsx';
import { UserRoles } from './user-roles.tsx';
import { UserSessions } from './user-sessions.tsx';

export function UserPage({ userId }: { readonly userId: string }) {
  const read: ApiRequest<ShownUser> = ({ control }, signal) =>
    control.GET('/users/{id}', { params: { path: { id: userId } }, signal });
  const query = useRead(['users', 'one', userId], read);
  return (
    <ObjectPage
      list={{ path: '/users', title: 'All users' }}
      title="User"
      nameOf={({ userId: id, userName: name }) => ({ id, name })}
      query={query}
      command={`users get ${quotePositional(userId)}`}
      call={read}
      renderActions={(user) => <UserActions user={user} />}
    >
      {(user) => (
        <>
          <UserFacts user={user} />
          <ContactSection user={user} />
          <UserGroups user={user} />
          <UserRoles user={user} />
          <UserSessions user={user} />
          <History entity="user" id={user.userId} />
        </>
      )}
    </ObjectPage>
  );
}
