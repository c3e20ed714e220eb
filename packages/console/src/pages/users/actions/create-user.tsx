/** Creates a user, and opens it. */
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { userQueries } from '../shown-user.ts';
import {
  emptyUserFields,
  formatUserOptions,
  isMobileReady,
  passwordRules,
  toUserBody,
  UserFields,
  type UserForm,
  userFieldNames,
} from './user-fields.tsx';

const emptyFields = { ...emptyUserFields, userId: '', password: '', verified: false };

export function CreateUserAction() {
  const navigate = useNavigate();
  const form = useForm({ initialValues: emptyFields });
  const { userId, password, verified } = form.values;
  const body = { ...toUserBody(form.values), ...(userId === '' ? {} : { userId }), verified };
  const secret = password === '' ? {} : { password };
  return (
    <WriteAction
      operation="POST /_iam/users"
      label="Create a user"
      isPrimary
      form={form}
      fieldNames={userFieldNames}
      isReady={form.values.userName !== '' && isMobileReady(form.values)}
      title="Create a user"
      confirmLabel="Create the user"
      command={formatCommand(form.values)}
      request={({ control }) => control.POST('/users', { body: { ...body, ...secret } as never })}
      shownBody={password === '' ? body : { ...body, password: 'PASSWORD' }}
      changes={userQueries}
      done={({ userId: id }) => ({
        text: 'The user was created:',
        subject: { kind: 'user', id, name: form.values.userName },
      })}
      onDone={(created) => {
        form.reset();
        return navigate({ to: '/users/$', params: { _splat: created.userId } as never });
      }}
      onCancel={() => form.setFieldValue('password', '')}
    >
      <UserFields form={form as unknown as UserForm} />
      <Checkbox label="The contacts count as verified" {...form.getInputProps('verified', { type: 'checkbox' })} />
      <PasswordInput
        label="Password"
        description={`Without one the user cannot log in with a password. ${passwordRules}`}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <TextInput label="Id" description="Without one the server generates it" {...form.getInputProps('userId')} />
    </WriteAction>
  );
}

function formatCommand(fields: typeof emptyFields): string {
  const { userId, password, verified, userName, ...others } = fields;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== '' && value !== false));
  const options = [
    formatUserOptions({ userName, ...given }),
    userId === '' ? '' : `--user-id ${quoteShellArgument(userId)}`,
    verified ? '--verified' : '',
    password === '' ? '' : '--password-stdin',
  ];
  return ['users create --without-code', ...options].filter((option) => option !== '').join(' ');
}
