/** Creates a user, and opens it. */
import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import { UserAction } from './user-action.tsx';

const emptyFields = { userName: '', userEmail: '', verified: false };

export function CreateUserAction() {
  const { control } = useConsole();
  const navigate = useNavigate();
  const form = useForm({ initialValues: emptyFields });
  const { userName, userEmail, verified } = form.values;
  const body = { userName, verified, ...(userEmail === '' ? {} : { userEmail }) };
  const emailOption = userEmail === '' ? '' : ` --user-email ${quoteShellArgument(userEmail)}`;
  return (
    <UserAction
      operation="POST /_iam/users"
      label="Create a user"
      isReady={userName !== ''}
      title="Create a user"
      confirmLabel="Create the user"
      command={`users create --user-name ${quoteShellArgument(userName || 'NAME')}${emailOption}`}
      call={{ method: 'POST', path: '/_iam/users', body }}
      send={async () => {
        const { userId } = await unwrap(control.POST('/users', { body: body as never }));
        form.reset();
        await navigate({ to: '/users/$', params: { _splat: userId } as never });
      }}
    >
      <TextInput label="Login name" required data-autofocus {...form.getInputProps('userName')} />
      <TextInput label="E-mail" type="email" {...form.getInputProps('userEmail')} />
      <Checkbox
        label="The e-mail address counts as verified"
        {...form.getInputProps('verified', { type: 'checkbox' })}
      />
    </UserAction>
  );
}
