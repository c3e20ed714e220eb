/** Deletes a user, after a confirmation that names what ends with it. */
import { List, Text } from '@mantine/core';
import { useLeave } from '../../../api/use-leave.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { SubjectList } from '../../../components/subject.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

export function DeleteUser({ user }: { readonly user: ShownUser }) {
  const { userId, groups, groupCount, activeSessions, sessions, contacts, customerId } = user;
  const leave = useLeave('/users', ['users', 'one', userId]);
  // Those of its business stay.
  const own = groups.filter(({ kind }) => kind !== 'business');
  const ownCount = groupCount - (groups.length - own.length);
  return (
    <WriteAction
      operation="user-identities.remove"
      label="Delete"
      title={`Delete ${user.userName}`}
      confirmLabel="Delete the user"
      isDangerous
      command={`users delete --yes ${quotePositional(userId)}`}
      request={({ service }) => service.DELETE('/user-identities/{id}', { params: { path: { id: userId } } })}
      changes={userQueries}
      done={`The user ${user.userName} was deleted.`}
      onDone={leave}
    >
      <Text>The user is deleted, and its id is never used again. With it:</Text>
      <List>
        <List.Item>
          Groups:{' '}
          <SubjectList
            kind="group"
            subjects={own.map(({ groupId: id, groupName: name }) => ({ id, name }))}
            total={ownCount}
          />
        </List.Item>
        <List.Item>
          Active sessions: {sessions === 0 ? 'none' : sessions}
          {sessions === 0 ? undefined : (
            <>
              , through <SubjectList kind="client" subjects={listClients(activeSessions)} />
            </>
          )}
        </List.Item>
        <List.Item>MFA contacts: {contacts.length}</List.Item>
        {customerId === undefined ? undefined : <List.Item>Customer: {customerId}</List.Item>}
      </List>
    </WriteAction>
  );
}

/** Each once. */
function listClients(sessions: ShownUser['activeSessions']) {
  return [...new Map(sessions.map(({ clientId: id, clientName: name }) => [id, { id, name }])).values()];
}
