/** Creates a user, and opens it. */
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { userQueries } from '../shown-user.ts';
import { emptyUserFields, formatUserOptions, isMobileReady, toUserBody, UserFields } from './user-fields.tsx';

const emptyAccount = { userId: '', password: '', verified: false };

export function CreateUserAction() {
  const navigate = useNavigate();
  const form = useForm({ initialValues: emptyUserFields });
  const [account, setAccount] = useState(emptyAccount);
  const { userId, password, verified } = account;
  const body = { ...toUserBody(form.values), ...(userId === '' ? {} : { userId }), verified };
  const secret = password === '' ? {} : { password };
  return (
    <WriteAction
      operation="POST /_iam/users"
      label="Create a user"
      isPrimary
      isReady={form.values.userName !== '' && isMobileReady(form.values)}
      title="Create a user"
      confirmLabel="Create the user"
      command={formatCommand(form.values, account)}
      request={({ control }) => control.POST('/users', { body: { ...body, ...secret } as never })}
      shownBody={password === '' ? body : { ...body, password: 'PASSWORD' }}
      changes={userQueries}
      onDone={(created) => {
        form.reset();
        setAccount(emptyAccount);
        return navigate({ to: '/users/$', params: { _splat: created.userId } as never });
      }}
      onCancel={() => setAccount({ ...account, password: '' })}
    >
      <UserFields form={form} />
      <Checkbox
        label="The contacts count as verified"
        checked={verified}
        onChange={({ currentTarget }) => setAccount({ ...account, verified: currentTarget.checked })}
      />
      <PasswordInput
        label="Password"
        description="Without one the user cannot log in with a password"
        autoComplete="new-password"
        value={password}
        onChange={({ currentTarget }) => setAccount({ ...account, password: currentTarget.value })}
      />
      <TextInput
        label="Id"
        description="Without one the server generates it"
        value={userId}
        onChange={({ currentTarget }) => setAccount({ ...account, userId: currentTarget.value })}
      />
    </WriteAction>
  );
}

function formatCommand(fields: typeof emptyUserFields, { userId, password, verified }: typeof emptyAccount): string {
  const { businessId, lead, ...others } = fields;
  const given = { ...others, ...(businessId === '' ? {} : { businessId }), ...(lead ? { lead } : {}) };
  const options = [
    formatUserOptions(given),
    userId === '' ? '' : `--user-id ${quoteShellArgument(userId)}`,
    verified ? '--verified' : '',
    password === '' ? '' : '--password-stdin',
  ];
  return ['users create --without-code', ...options].filter((option) => option !== '').join(' ');
}
