/** Ends all sessions of a user or of a client, after a confirmation that counts them and names who is logged out. */
import { List, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrapResponse } from '../../api/errors.ts';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { formatNames } from '../../components/format-names.ts';
import { WriteAction } from '../../components/write-action.tsx';

interface SessionOwner {
  readonly of: 'userId' | 'clientId';
  readonly id: string;
}

/** Queries about sessions, and about users, whose pages list them. */
export const sessionQueries = ['sessions', 'users'];

const options = { userId: '--user-id', clientId: '--client-id' } as const;

export function EndSessions({ of, id }: SessionOwner) {
  return (
    <WriteAction
      operation="DELETE /_iam/sessions"
      label={of === 'userId' ? 'End all sessions of the user' : 'End all sessions of the client'}
      isDangerous
      title={`End all sessions of ${id}`}
      confirmLabel="End the sessions"
      command={`sessions end ${options[of]} ${quoteShellArgument(id)} --yes`}
      request={({ control }) => control.DELETE('/sessions', { params: { query: { [of]: id } } })}
      changes={sessionQueries}
    >
      <Affected of={of} id={id} />
    </WriteAction>
  );
}

const limit = 500;

/** Read when the dialog opens: the list may have another filter as well. */
function useAffectedSessions({ of, id }: SessionOwner) {
  const { control } = useConsole();
  return useQuery({
    queryKey: ['sessions', 'affected', of, id],
    queryFn: async ({ signal }) => {
      const query = { limit, [of]: id };
      const { data, response } = await unwrapResponse(control.GET('/sessions', { params: { query }, signal }));
      return { sessions: data, isComplete: response.status === 200 };
    },
    staleTime: 0,
  });
}

function Affected({ of, id }: SessionOwner) {
  const { data, error } = useAffectedSessions({ of, id });
  if (error) return <ErrorPanel error={error} />;
  if (data === undefined) return <Loader size="sm" aria-label="Loading" />;
  const { sessions, isComplete } = data;
  const others = sessions.map(({ userId, logon, clientId }) => (of === 'userId' ? clientId : (userId ?? logon ?? '')));
  const names = [...new Set(others)].sort();
  const andMore = isComplete ? '' : ' and possibly more';
  return (
    <>
      <Text>The tokens of these sessions are rejected from the next request on:</Text>
      <List>
        <List.Item>
          Active sessions that end: {sessions.length}
          {isComplete ? '' : ' or more'}
        </List.Item>
        <List.Item>
          {of === 'userId' ? 'Through the clients: ' : 'Of the users: '}
          <bdi>{formatNames(names, names.length)}</bdi>
          {andMore}
        </List.Item>
      </List>
    </>
  );
}
