/** Deletes a user, after a confirmation that names what ends with it. */
import { List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { formatNames } from '../../../components/format-names.ts';
import type { ShownUser } from '../data/use-users.ts';
import { UserAction } from './user-action.tsx';

export function DeleteUser({ user }: { readonly user: ShownUser }) {
  const { service } = useConsole();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { userId, groups, groupCount, activeSessions, sessions, contacts, customerId } = user;
  // Those of its business stay.
  const own = groups.filter(({ kind }) => kind !== 'business');
  const ownCount = groupCount - (groups.length - own.length);
  return (
    <UserAction
      operation="user-identities.remove"
      label="Delete"
      title={`Delete ${user.userName}`}
      confirmLabel="Delete the user"
      isDangerous
      command={`users delete --yes ${quotePositional(userId)}`}
      call={{ method: 'DELETE', path: `/security/iam/v1/user-identities/${encodeURIComponent(userId)}` }}
      send={() => unwrap(service.DELETE('/user-identities/{id}', { params: { path: { id: userId } } }))}
      onDone={async () => {
        await navigate({ to: '/users' });
        queryClient.removeQueries({ queryKey: ['users', 'one', userId] });
      }}
    >
      <Text>The user is deleted, and its id is never used again. With it:</Text>
      <List>
        <List.Item>
          Groups:{' '}
          <bdi>
            {formatNames(
              own.map(({ groupName }) => groupName),
              ownCount,
            )}
          </bdi>
        </List.Item>
        <List.Item>
          Active sessions:{' '}
          {formatNames(
            activeSessions.map(({ clientId }) => `with ${clientId}`),
            sessions,
          )}
        </List.Item>
        <List.Item>MFA contacts: {contacts.length}</List.Item>
        {customerId === undefined ? undefined : <List.Item>Customer: {customerId}</List.Item>}
      </List>
    </UserAction>
  );
}
