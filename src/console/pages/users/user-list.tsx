/** All users, with a search in ids, login names and e-mail addresses. */
import { Badge, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { usePage } from '../../api/use-page.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quoteShellArgument } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import { SearchInput } from '../../components/search-input.tsx';
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
  const navigate = useNavigate();
  const { search: filters, setSearch } = usePage();
  const { search } = filters;
  const sort = columns.some((column) => column.sort === filters.sort?.replace(/^-/, '')) ? filters.sort : undefined;
  const list = usePagedList<ListedUser>({
    queryKey: ['users', 'list', search, sort],
    read: (query, signal) =>
      control.GET('/users', { params: { query: { ...query, search, sort: sort as 'userName' | undefined } }, signal }),
  });
  return (
    <Stack gap="md">
      <PageTitle actions={<CreateUserAction />}>Users</PageTitle>
      <SearchInput label="Login name, e-mail or id" value={search} onChange={(value) => setSearch({ search: value })} />
      {list.error ? <ErrorPanel error={list.error} onRetry={list.refetch} /> : undefined}
      {list.isReady && list.items.length === 0 ? <NoUsers search={search} /> : undefined}
      {list.items.length > 0 ? (
        <RowList
          label="Users"
          rows={list.items}
          columns={columns}
          keyOf={({ userId }) => userId}
          onOpen={({ userId }) => void navigate({ to: '/users/$', params: { _splat: userId } as never })}
          loadMore={list.loadMore}
          isLoading={list.isLoading}
          sort={sort}
          onSort={(value) => setSearch({ sort: value })}
        />
      ) : undefined}
      <UserListEquivalents search={search} sort={sort} />
    </Stack>
  );
}

function UserListEquivalents(filters: { readonly search: string | undefined; readonly sort: string | undefined }) {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  // Joined to its option, since a descending order begins with a hyphen.
  const options = given.map(([name, value]) => ` --${name}=${quoteShellArgument(value)}`).join('');
  return <Equivalents command={`users list${options}`} call={{ path: `/_iam/users${query}` }} />;
}

function NoUsers({ search }: { readonly search: string | undefined }) {
  return (
    <EmptyState
      title={search === undefined ? 'No users yet' : 'No user matches'}
      command="iam users create --user-name alice --user-email alice@example.com"
    >
      {search === undefined
        ? 'Create a user, or apply a seed with users.'
        : 'The search looks in ids, login names and e-mail addresses. Remove the search to see all users.'}
    </EmptyState>
  );
}
