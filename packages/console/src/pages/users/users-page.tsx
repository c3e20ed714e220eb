/** Users: who they are, what they may do and why. */
import { Badge } from '@mantine/core';
import { usePage } from '../../api/use-page.ts';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { Subject } from '../../components/subject.tsx';
import { bulkUsers, type ListedUser } from './actions/bulk-users.tsx';
import { CreateUserAction } from './actions/create-user.tsx';
import { UserPage } from './detail/user-page.tsx';

export default function UsersPage() {
  const { rest } = usePage();
  return rest === undefined ? <UserList /> : <UserPage key={rest} userId={rest} />;
}

const columns: RowColumn<ListedUser>[] = [
  {
    title: 'User',
    width: 'minmax(13rem, 2fr)',
    sort: 'userName',
    render: ({ userId, userName }) => <Subject kind="user" id={userId} name={userName} isPlain />,
  },
  { title: 'E-mail', width: 'minmax(12rem, 2.5fr)', phone: 'detail', render: ({ userEmail }) => userEmail },
  {
    title: 'Business',
    isOptional: true,
    width: 'minmax(10rem, 1.5fr)',
    sort: 'businessId',
    phone: 'detail',
    render: ({ businessId, businessName }) =>
      businessId === undefined ? undefined : <Subject kind="business" id={businessId} name={businessName} />,
  },
  { title: 'State', width: '8rem', phone: 'end', render: (user) => <UserState user={user} /> },
];

function UserState({ user: { locked, lead } }: { readonly user: ListedUser }) {
  return (
    <>
      {locked ? <Badge color="red">Locked</Badge> : undefined} {lead ? <Badge color="gray">Lead</Badge> : undefined}
    </>
  );
}

function UserList() {
  return (
    <ObjectList
      title="Users"
      actions={<CreateUserAction />}
      searchLabel="Login name, e-mail or id"
      searchOption="search"
      columns={columns}
      bulk={bulkUsers}
      noun="users"
      command="users list"
      keyOf={({ userId }) => userId}
      read={({ control }, query, signal) => control.GET('/users', { params: { query }, signal })}
      createCommand="users create --user-name alice --user-email alice@example.com"
      emptyText="A user logs in with a name and a password, and has the roles of its groups."
      searchText="The search looks in ids, login names and e-mail addresses."
    />
  );
}
