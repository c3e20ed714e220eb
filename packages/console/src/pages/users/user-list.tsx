/** All users, with a search in ids, login names and e-mail addresses. */
import { Badge } from '@mantine/core';
import { useConsole } from '../../api/console-context.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { CreateUserAction } from './actions/create-user.tsx';
import type { ListedUser } from './data/use-users.ts';

const columns: RowColumn<ListedUser>[] = [
  {
    title: 'Login name',
    width: 'minmax(12rem, 2fr)',
    sort: 'userName',
    render: ({ userName }) => <bdi>{userName}</bdi>,
  },
  { title: 'Id', width: 'minmax(10rem, 2fr)', sort: 'userId', render: ({ userId }) => userId },
  { title: 'E-mail', width: 'minmax(10rem, 2fr)', render: ({ userEmail }) => userEmail },
  { title: 'Business', width: 'minmax(8rem, 1fr)', sort: 'businessId', render: ({ businessId }) => businessId },
  { title: 'State', width: '9rem', render: (user) => <UserState user={user} /> },
];

function UserState({ user: { locked, lead } }: { readonly user: ListedUser }) {
  return (
    <>
      {locked ? <Badge color="red">Locked</Badge> : undefined} {lead ? <Badge color="gray">Lead</Badge> : undefined}
    </>
  );
}

export function UserList() {
  const { control } = useConsole();
  return (
    <ObjectList<ListedUser>
      title="Users"
      actions={<CreateUserAction />}
      searchLabel="Login name, e-mail or id"
      columns={columns}
      noun="users"
      path="/_iam/users"
      keyOf={({ userId }) => userId}
      read={({ search, sort }, query, signal) =>
        control.GET('/users', { params: { query: { ...query, search, sort: sort as 'userName' | undefined } }, signal })
      }
      renderEmpty={(search) => (
        <EmptyState
          title={search === undefined ? 'No users yet' : 'No user matches'}
          command="iam users create --user-name alice --user-email alice@example.com"
        >
          {search === undefined
            ? 'Create a user, or apply a seed with users.'
            : 'The search looks in ids, login names and e-mail addresses. Remove the search to see all users.'}
        </EmptyState>
      )}
    />
  );
}
