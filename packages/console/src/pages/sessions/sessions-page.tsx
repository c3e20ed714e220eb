/** The active sessions of all users and clients, with filters, and ways to end them. */
import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useFirstUsers } from '../../api/lists/use-first-users.ts';
import { useListCount } from '../../api/lists/use-list-count.ts';
import { usePagedList } from '../../api/lists/use-paged-list.ts';
import { usePage } from '../../api/use-page.ts';
import { EmptyState, NoMatch } from '../../components/empty-state.tsx';
import { Equivalents, formatOptions, quotePositional } from '../../components/equivalents.tsx';
import { FirstUsers } from '../../components/lists/first-users.tsx';
import { ListCountText } from '../../components/lists/list-count.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { FilterLine } from '../../components/search-input.tsx';
import { useBulkActions } from '../../components/selection/use-bulk-actions.tsx';
import { EntitySelect } from '../groups/data/entity-select.tsx';
import { bulkSessions } from './bulk-sessions.tsx';
import { EndSessionDialog } from './end-session.tsx';
import { EndSessions } from './end-sessions.tsx';
import { listSessionColumns } from './session-columns.tsx';

/** Sessions are in no topic of the events. */
const refetchInterval = 15_000;

const sorts = ['startedAt', '-startedAt', 'endsAt', '-endsAt'] as const;

type SessionFilters = Readonly<Record<'userId' | 'clientId', string | undefined>>;

export default function SessionsPage() {
  const { search, setSearch } = usePage();
  const { userId, clientId } = search;
  const filters: SessionFilters = { userId, clientId };
  const given = sorts.find((each) => each === search.sort);
  const sort = given ?? '-startedAt';
  const list = usePagedList({
    queryKey: ['sessions', 'list', filters, sort],
    read: ({ control }, query, signal) =>
      control.GET('/sessions', { params: { query: { ...query, ...filters, sort } }, signal }),
    refetchInterval,
  });
  const count = useListCount(list, {
    noun: 'sessions',
    filters,
    read: ({ control }, query, signal) => control.GET('/sessions', { params: { query }, signal }),
  });
  const [ending, setEnding] = useState<(typeof list.items)[number]>();
  const [isEnding, dialog] = useDisclosure(false);
  const { selection, renderBar } = useBulkActions({
    bulk: bulkSessions,
    rows: list.items,
    scope: JSON.stringify(filters),
  });
  const columns = listSessionColumns((session) => {
    setEnding(session);
    dialog.open();
  });
  return (
    <Stack gap="md" className="list-page">
      <PageTitle actions={list.items.length > 0 ? <EndFilteredSessions {...filters} /> : undefined}>Sessions</PageTitle>
      <FilterLine
        filters={{ clientId }}
        status={renderBar(list.isReady && !list.error ? <ListCountText list={list} count={count} /> : undefined)}
      >
        <EntitySelect
          label="User"
          kind="users"
          value={userId}
          onChange={(value) => setSearch({ userId: value })}
          isFilter
        />
        <EntitySelect
          label="Client"
          kind="clients"
          value={clientId}
          onChange={(value) => setSearch({ clientId: value })}
          isFilter
        />
      </FilterLine>
      <PagedRows
        list={list}
        isCounted={false}
        empty={<NoSessions filters={filters} />}
        label="Sessions"
        columns={columns}
        selection={selection}
        keyOf={bulkSessions.keyOf}
        sort={sort}
        // After the order of the page, which has no parameter, comes its reverse.
        onSort={(value) => setSearch({ sort: value ?? (given === undefined ? 'startedAt' : undefined) })}
      />
      <EndSessionDialog session={ending} isOpen={isEnding} onClose={dialog.close} />
      <Equivalents
        command={`sessions list${formatOptions({ 'user-id': userId, 'client-id': clientId, sort })}`}
        call={({ control }) => control.GET('/sessions', { params: { query: { ...filters, sort } } })}
      />
    </Stack>
  );
}

/** The server ends all sessions of one user or of one client: each filter has its own action. */
function EndFilteredSessions({ userId, clientId }: SessionFilters) {
  return (
    <>
      {userId === undefined ? undefined : <EndSessions of="userId" id={userId} />}
      {clientId === undefined ? undefined : <EndSessions of="clientId" id={clientId} />}
    </>
  );
}

function NoSessions({ filters }: { readonly filters: SessionFilters }) {
  const [user] = useFirstUsers() ?? [];
  if (Object.values(filters).some((value) => value !== undefined))
    return <NoMatch icon="sessions" things="sessions" filters={filters} />;
  return (
    <EmptyState
      icon="sessions"
      title="No active sessions"
      command={
        user === undefined
          ? 'users create --user-name alice --user-email alice@example.com'
          : `sessions create ${quotePositional(user.userName)} --show-token`
      }
    >
      A session starts when a user logs in, and ends when it expires or the user logs out.
      <FirstUsers />
    </EmptyState>
  );
}
