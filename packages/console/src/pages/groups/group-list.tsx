/** All groups, with a search in names, ids and roles. */
import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { usePage } from '../../api/use-page.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import type { GroupRecord } from './data/use-groups.ts';
import { CreateGroup } from './edit/create-group.tsx';
import { GroupViewMenu } from './group-views.tsx';

const columns: RowColumn<GroupRecord>[] = [
  { title: 'Name', width: 'minmax(10rem, 2fr)', sort: 'groupName', render: ({ groupName }) => groupName },
  { title: 'Own roles', width: 'minmax(10rem, 2fr)', render: ({ roles }) => roles.join(', ') },
  {
    title: 'Inherits from',
    width: 'minmax(10rem, 2fr)',
    render: ({ dependencies }) => dependencies.map(({ groupName }) => groupName).join(', '),
  },
  {
    title: 'Organization',
    width: 'minmax(8rem, 1fr)',
    sort: 'organizationId',
    render: ({ organizationId }) => organizationId,
  },
];

export function GroupList() {
  const { control } = useConsole();
  const navigate = useNavigate();
  const { search: filters, setSearch } = usePage();
  const { search } = filters;
  const sort = columns.some((column) => column.sort === filters.sort?.replace(/^-/, '')) ? filters.sort : undefined;
  const list = usePagedList<GroupRecord>({
    queryKey: ['groups', 'list', search, sort],
    read: (query, signal) =>
      control.GET('/groups', {
        params: { query: { ...query, search, sort: sort as 'groupName' | undefined } },
        signal,
      }),
  });
  return (
    <Stack gap="md">
      <PageTitle actions={<CreateGroup />}>Groups</PageTitle>
      <GroupViewMenu current="list" />
      <SearchInput label="Name, id or role" value={search} onChange={(value) => setSearch({ search: value })} />
      {list.error ? <ErrorPanel error={list.error} onRetry={list.refetch} /> : undefined}
      {list.isReady && list.items.length === 0 ? <NoGroups search={search} /> : undefined}
      {list.items.length > 0 ? (
        <RowList
          label="Groups"
          rows={list.items}
          columns={columns}
          keyOf={({ groupId }) => groupId}
          onOpen={({ groupId }) => void navigate({ to: '/groups/$', params: { _splat: groupId } as never })}
          loadMore={list.loadMore}
          onVisible={list.onVisible}
          isLoading={list.isLoading}
          sort={sort}
          onSort={(value) => setSearch({ sort: value })}
        />
      ) : undefined}
      <Equivalents
        command={`groups search${sort === undefined ? '' : ` --sort=${sort}`}${search === undefined ? '' : ` ${quotePositional(search)}`}`}
        call={{ path: `/_iam/groups${formatListQuery({ search, sort })}` }}
      />
    </Stack>
  );
}

function formatListQuery(values: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

function NoGroups({ search }: { readonly search: string | undefined }) {
  return (
    <EmptyState
      title={search === undefined ? 'No groups yet' : 'No group matches'}
      command="iam groups create --group-name ops --role DEPLOY"
    >
      A group gives its roles to its members. It also gives them the roles of the groups that it depends on.
    </EmptyState>
  );
}
