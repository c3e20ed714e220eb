/** Sets the password of a user, as an administrator. */
import { PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { UserAction } from './user-action.tsx';

export function SetPassword({ userId }: { readonly userId: string }) {
  const { control } = useConsole();
  const [newPassword, setNewPassword] = useState('');
  const params = { path: { id: userId } };
  return (
    <UserAction
      operation="PUT /_iam/users/{id}/password"
      label="Set password"
      isReady={newPassword !== ''}
      onCancel={() => setNewPassword('')}
      title={`Set the password of ${userId}`}
      confirmLabel="Set the password"
      command={`users set-password ${quotePositional(userId)} --without-code --password-stdin`}
      call={{
        method: 'PUT',
        path: `/_iam/users/${encodeURIComponent(userId)}/password`,
        body: { newPassword: 'PASSWORD' },
      }}
      send={() => unwrap(control.PUT('/users/{id}/password', { params, body: { newPassword } }))}
      onDone={() => setNewPassword('')}
    >
      <Text>The sessions of the user end. A lock stays.</Text>
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        value={newPassword}
        onChange={({ currentTarget }) => setNewPassword(currentTarget.value)}
        data-autofocus
      />
    </UserAction>
  );
}
