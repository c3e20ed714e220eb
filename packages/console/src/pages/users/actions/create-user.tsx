/** Creates a user, and opens it. */
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import { UserAction } from './user-action.tsx';
import { emptyUserFields, formatUserOptions, isMobileReady, toUserBody, UserFields } from './user-fields.tsx';

const emptyAccount = { userId: '', password: '', verified: false };

export function CreateUserAction() {
  const { control } = useConsole();
  const navigate = useNavigate();
  const form = useForm({ initialValues: emptyUserFields });
  const [account, setAccount] = useState(emptyAccount);
  const { userId, password, verified } = account;
  const body = { ...toUserBody(form.values), ...(userId === '' ? {} : { userId }), verified };
  const clear = () => {
    form.reset();
    setAccount(emptyAccount);
  };
  return (
    <UserAction
      operation="POST /_iam/users"
      label="Create a user"
      isReady={form.values.userName !== '' && isMobileReady(form.values)}
      title="Create a user"
      confirmLabel="Create the user"
      command={formatCommand(form.values, account)}
      call={{
        method: 'POST',
        path: '/_iam/users',
        body: password === '' ? body : { ...body, password: 'PASSWORD' },
      }}
      send={async () => {
        const secret = password === '' ? {} : { password };
        const created = await unwrap(control.POST('/users', { body: { ...body, ...secret } as never }));
        clear();
        await navigate({ to: '/users/$', params: { _splat: created.userId } as never });
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
    </UserAction>
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
