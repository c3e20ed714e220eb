/** Ends all sessions of a user or of a client, after a confirmation that counts them and names who is logged out. */
import { List, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrapResponse } from '../../api/errors.ts';
import { useNames } from '../../api/use-names.ts';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { NamedSubject, SubjectList } from '../../components/subject.tsx';
import { WriteAction } from '../../components/write-action.tsx';

interface SessionOwner {
  readonly of: 'userId' | 'clientId';
  readonly id: string;
}

/** Queries about sessions, and about users, whose pages list them. */
export const sessionQueries = ['sessions', 'users'];

const kinds = { userId: 'user', clientId: 'client' } as const;
const options = { userId: '--user-id', clientId: '--client-id' } as const;

export function EndSessions({ of, id }: SessionOwner) {
  const nameOf = useNames([id]);
  return (
    <WriteAction
      operation="DELETE /_iam/sessions"
      label={of === 'userId' ? 'End all sessions of the user' : 'End all sessions of the client'}
      isDangerous
      title={
        <>
          End all sessions of <NamedSubject kind={kinds[of]} id={id} isPlain />
        </>
      }
      confirmLabel="End the sessions"
      done={{ text: 'Ended all sessions of', subject: { kind: kinds[of], id, name: nameOf(kinds[of], id) } }}
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
  const others = sessions.map(({ userId, userName, logon = '', clientId, clientName }) =>
    of === 'userId' ? { id: clientId, name: clientName } : { id: userId ?? logon, name: userName },
  );
  const subjects = [...new Map(others.map((subject) => [subject.id, subject])).values()].toSorted(compareNames);
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
          <SubjectList kind={of === 'userId' ? 'client' : 'user'} subjects={subjects} />
          {andMore}
        </List.Item>
      </List>
    </>
  );
}

interface NamedId {
  readonly id: string;
  readonly name: string | undefined;
}

function compareNames({ id, name = id }: NamedId, other: NamedId): number {
  return name.localeCompare(other.name ?? other.id);
}
