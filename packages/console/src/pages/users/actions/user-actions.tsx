/** What can be done with a user as a whole. */
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { quotePositional, quoteShellArgument } from '../../../components/equivalents.tsx';
import type { ShownUser } from '../data/use-users.ts';
import { DeleteUser } from './delete-user.tsx';
import { EditUser } from './edit-user.tsx';
import { SetPassword } from './set-password.tsx';
import { SignInAs } from './sign-in-as.tsx';
import { UserAction } from './user-action.tsx';

interface UserActionsProps {
  readonly user: ShownUser;
}

export function UserActions({ user }: UserActionsProps) {
  return (
    <>
      <EditUser user={user} />
      <SignInAs userId={user.userId} />
      <SetPassword userId={user.userId} />
      {user.locked ? <UnlockUser user={user} /> : <LockUser user={user} />}
      <DeleteUser user={user} />
    </>
  );
}

function LockUser({ user: { userId, sessions } }: UserActionsProps) {
  const { service } = useConsole();
  const [reason, setReason] = useState('');
  const body = { userId, ...(reason === '' ? {} : { reason }) };
  return (
    <UserAction
      operation="user-identities.lock"
      label="Lock"
      title={`Lock ${userId}`}
      confirmLabel="Lock the user"
      command={`users lock ${quotePositional(userId)}${reason === '' ? '' : ` --reason ${quoteShellArgument(reason)}`} --yes`}
      call={{ method: 'POST', path: '/security/iam/v1/user-identities/lock', body }}
      send={() => unwrap(service.POST('/user-identities/lock', { body }))}
      onDone={() => setReason('')}
    >
      <Text>All requests of the user are rejected from the next one on. Active sessions that end: {sessions}.</Text>
      <TextInput
        label="Reason"
        maxLength={200}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </UserAction>
  );
}

function UnlockUser({ user: { userId } }: UserActionsProps) {
  const { service } = useConsole();
  const body = { userId };
  return (
    <UserAction
      operation="user-identities.unlock"
      label="Unlock"
      title={`Unlock ${userId}`}
      confirmLabel="Unlock the user"
      command={`users unlock ${quotePositional(userId)}`}
      call={{ method: 'POST', path: '/security/iam/v1/user-identities/unlock', body }}
      send={() => unwrap(service.POST('/user-identities/unlock', { body }))}
    >
      <Text>The user can log in again. The throttles of all its login names are cleared.</Text>
    </UserAction>
  );
}

export function EndUserSession({ sessionId }: { readonly sessionId: string }) {
  const { control } = useConsole();
  return (
    <UserAction
      operation="DELETE /_iam/sessions"
      label="End"
      accessibleLabel={`End ${sessionId}`}
      isCompact
      title={`End the session ${sessionId}`}
      confirmLabel="End the session"
      command={`sessions end --yes ${quotePositional(sessionId)}`}
      call={{ method: 'DELETE', path: `/_iam/sessions?sessionId=${encodeURIComponent(sessionId)}` }}
      send={() => unwrap(control.DELETE('/sessions', { params: { query: { sessionId } } }))}
    >
      <Text>Its tokens are rejected from the next request on.</Text>
    </UserAction>
  );
}

export function EndUserSessions({ user: { userId, sessions } }: UserActionsProps) {
  const { control } = useConsole();
  return (
    <UserAction
      operation="DELETE /_iam/sessions"
      label="End all sessions"
      title={`End all sessions of ${userId}`}
      confirmLabel="End the sessions"
      command={`sessions end --yes --user-id ${quoteShellArgument(userId)}`}
      call={{ method: 'DELETE', path: `/_iam/sessions?userId=${encodeURIComponent(userId)}` }}
      send={() => unwrap(control.DELETE('/sessions', { params: { query: { userId } } }))}
    >
      <Text>Active sessions that end: {sessions}. Their tokens are rejected from the next request on.</Text>
    </UserAction>
  );
}
