/** What can be done with a user as a whole. */
import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Versioned } from '../../../api/use-versioned.ts';
import { quotePositional, quoteShellArgument } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';
import { DeleteUser } from './delete-user.tsx';
import { EditUser } from './edit-user.tsx';
import { SetPassword } from './set-password.tsx';
import { SignInAs } from './sign-in-as.tsx';

interface UserActionsProps {
  readonly user: ShownUser;
}

export function UserActions({ current }: { readonly current: Versioned<ShownUser> }) {
  const { value: user } = current;
  return (
    <>
      <EditUser current={current} />
      <SignInAs user={user} />
      <SetPassword user={user} />
      {user.locked ? <UnlockUser user={user} /> : <LockUser user={user} />}
      <DeleteUser user={user} />
    </>
  );
}

function LockUser({ user: { userId, userName, sessions } }: UserActionsProps) {
  const form = useForm({ initialValues: { reason: '' } });
  const { reason } = form.values;
  const body = { userId, ...(reason === '' ? {} : { reason }) };
  return (
    <WriteAction
      operation="user-identities.lock"
      label="Lock"
      title={`Lock ${userName}`}
      confirmLabel="Lock the user"
      command={`users lock ${quotePositional(userId)}${reason === '' ? '' : ` --reason ${quoteShellArgument(reason)}`} --yes`}
      request={({ service }) => service.POST('/user-identities/lock', { body })}
      changes={userQueries}
      form={form}
      done="The user was locked."
      onDone={form.reset}
      onCancel={form.reset}
    >
      <Text>All requests of the user are rejected from the next one on. Active sessions that end: {sessions}.</Text>
      <TextInput label="Reason" {...form.getInputProps('reason')} />
    </WriteAction>
  );
}

function UnlockUser({ user: { userId, userName } }: UserActionsProps) {
  return (
    <WriteAction
      operation="user-identities.unlock"
      label="Unlock"
      title={`Unlock ${userName}`}
      confirmLabel="Unlock the user"
      command={`users unlock ${quotePositional(userId)}`}
      request={({ service }) => service.POST('/user-identities/unlock', { body: { userId } })}
      done="The user was unlocked."
      changes={userQueries}
    >
      <Text>The user can log in again. The throttles of all its login names are cleared.</Text>
    </WriteAction>
  );
}

export function EndUserSession({ sessionId }: { readonly sessionId: string }) {
  return (
    <WriteAction
      operation="DELETE /_iam/sessions"
      label="End"
      accessibleLabel={`End ${sessionId}`}
      isCompact
      title={`End the session ${sessionId}`}
      confirmLabel="End the session"
      done={`Ended the session ${sessionId}.`}
      command={`sessions end --yes ${quotePositional(sessionId)}`}
      request={({ control }) => control.DELETE('/sessions', { params: { query: { sessionId } } })}
      changes={userQueries}
    >
      <Text>Its tokens are rejected from the next request on.</Text>
    </WriteAction>
  );
}

export function EndUserSessions({ user: { userId, userName, sessions } }: UserActionsProps) {
  return (
    <WriteAction
      operation="DELETE /_iam/sessions"
      label="End all sessions"
      title={`End all sessions of ${userName}`}
      confirmLabel="End the sessions"
      done={`Ended all sessions of ${userName}.`}
      command={`sessions end --yes --user-id ${quoteShellArgument(userId)}`}
      request={({ control }) => control.DELETE('/sessions', { params: { query: { userId } } })}
      changes={userQueries}
    >
      <Text>Active sessions that end: {sessions}. Their tokens are rejected from the next request on.</Text>
    </WriteAction>
  );
}
