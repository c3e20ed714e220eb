/** Sets the password of a user, as an administrator. */
import { PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { quotePositional } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

export function SetPassword({ user: { userId, userName } }: { readonly user: ShownUser }) {
  const [newPassword, setNewPassword] = useState('');
  const params = { path: { id: userId } };
  return (
    <WriteAction
      operation="PUT /_iam/users/{id}/password"
      label="Set password"
      isReady={newPassword !== ''}
      onCancel={() => setNewPassword('')}
      title={`Set the password of ${userName}`}
      confirmLabel="Set the password"
      command={`users set-password ${quotePositional(userId)} --without-code --password-stdin`}
      request={({ control }) => control.PUT('/users/{id}/password', { params, body: { newPassword } })}
      shownBody={{ newPassword: 'PASSWORD' }}
      changes={userQueries}
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
    </WriteAction>
  );
}
