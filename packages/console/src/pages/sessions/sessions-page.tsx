/** The active sessions of all users and clients, with filters, and ways to end them. */
import { Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { usePage } from '../../api/use-page.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quoteShellArgument } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { RowList } from '../../components/row-list.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { useServerNow } from '../../components/server-time.tsx';
import { EndSessionDialog } from './end-session.tsx';
import { EndSessions } from './end-sessions.tsx';
import type { ListedSession } from './listed-session.ts';
import { listSessionColumns } from './session-columns.tsx';

/** Sessions are in no topic of the events. */
const refetchInterval = 15_000;

interface SessionFilters {
  readonly userId?: string;
  readonly clientId?: string;
}

export default function SessionsPage() {
  const { search, setSearch } = usePage();
  const { userId, clientId } = search;
  const filters: SessionFilters = {
    ...(userId === undefined ? {} : { userId }),
    ...(clientId === undefined ? {} : { clientId }),
  };
  const list = useSessions(filters);
  const now = useServerNow();
  const [ending, setEnding] = useState<ListedSession>();
  const [isEnding, dialog] = useDisclosure(false);
  const onEnd = (session: ListedSession) => {
    setEnding(session);
    dialog.open();
  };
  const columns = listSessionColumns({ now, onEnd });
  const hasRows = list.items.length > 0;
  return (
    <Stack gap="md">
      <PageTitle actions={hasRows ? <EndFilteredSessions {...filters} /> : undefined}>Sessions</PageTitle>
      <Group gap="md">
        <SearchInput label="User id" value={userId} onChange={(value) => setSearch({ userId: value })} />
        <SearchInput label="Client id" value={clientId} onChange={(value) => setSearch({ clientId: value })} />
      </Group>
      {list.error ? <ErrorPanel error={list.error} onRetry={list.refetch} /> : undefined}
      {list.isReady && !hasRows ? <NoSessions isFiltered={Object.keys(filters).length > 0} /> : undefined}
      {hasRows ? (
        <RowList
          label="Sessions"
          rows={list.items}
          columns={columns}
          keyOf={({ sessionId }) => sessionId}
          loadMore={list.loadMore}
          isLoading={list.isLoading}
        />
      ) : undefined}
      <EndSessionDialog session={ending} isOpen={isEnding} onClose={dialog.close} />
      <SessionEquivalents {...filters} />
    </Stack>
  );
}

function useSessions(filters: SessionFilters) {
  const { control } = useConsole();
  return usePagedList<ListedSession>({
    queryKey: ['sessions', 'list', filters],
    read: (query, signal) => control.GET('/sessions', { params: { query: { ...query, ...filters } }, signal }),
    refetchInterval,
  });
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

function NoSessions({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <EmptyState
      title={isFiltered ? 'No session matches' : 'No active sessions'}
      command="iam sessions create alice@example.com"
    >
      {isFiltered
        ? 'The filters compare whole ids. Remove them to see all sessions.'
        : 'A session starts when a user logs in, and ends when it expires or the user logs out.'}
    </EmptyState>
  );
}

function SessionEquivalents({ userId, clientId }: SessionFilters) {
  const given = [
    ['--user-id', 'userId', userId],
    ['--client-id', 'clientId', clientId],
  ].filter((entry): entry is [string, string, string] => entry[2] !== undefined);
  const options = given.map(([option, , value]) => ` ${option}=${quoteShellArgument(value)}`).join('');
  const query = new URLSearchParams(given.map(([, name, value]) => [name, value])).toString();
  return (
    <Equivalents
      command={`sessions list${options}`}
      call={{ path: `/_iam/sessions${query === '' ? '' : `?${query}`}` }}
    />
  );
}
