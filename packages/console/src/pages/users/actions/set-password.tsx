/** Sets the password of a user, as an administrator. */
import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { quotePositional } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';
import { passwordRules } from './user-fields.tsx';

export function SetPassword({ user: { userId, userName } }: { readonly user: ShownUser }) {
  const form = useForm({ initialValues: { newPassword: '' } });
  const { newPassword } = form.values;
  const params = { path: { id: userId } };
  return (
    <WriteAction
      operation="PUT /_iam/users/{id}/password"
      label="Set password"
      isReady={newPassword !== ''}
      form={form}
      onCancel={form.reset}
      title={`Set the password of ${userName}`}
      confirmLabel="Set the password"
      command={`users set-password ${quotePositional(userId)} --without-code --password-stdin`}
      request={({ control }) => control.PUT('/users/{id}/password', { params, body: { newPassword } })}
      shownBody={{ newPassword: 'PASSWORD' }}
      changes={userQueries}
      done="The password was set."
      onDone={form.reset}
    >
      <Text>The sessions of the user end. A lock stays.</Text>
      <PasswordInput
        label="New password"
        description={passwordRules}
        autoComplete="new-password"
        {...form.getInputProps('newPassword')}
      />
    </WriteAction>
  );
}
