/** Logs in with the id and the secret of a client. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import type { LoginResult } from '../../api/credentials.ts';
import { unwrap } from '../../api/errors.ts';
import { ErrorPanel } from '../error-panel.tsx';
import { formatBasic } from './format-basic.ts';
import type { LoginFormProps } from './login-form-props.ts';

export function ClientLoginForm({ onLogin }: LoginFormProps) {
  const { login } = useConsole();
  const form = useForm({ initialValues: { clientId: '', clientSecret: '' } });
  const request = useMutation({
    // The cache keeps what was sent.
    gcTime: 0,
    mutationFn: async ({ clientId, clientSecret }: typeof form.values): Promise<LoginResult> => {
      const headers = { Authorization: formatBasic(clientId, clientSecret) };
      const { accessToken } = await unwrap(login.POST('/client-identities/login', { headers }));
      return { accessToken, subject: clientId };
    },
    onSuccess: onLogin,
  });
  return (
    <form onSubmit={form.onSubmit((values) => request.mutate(values))}>
      <Stack gap="sm">
        <TextInput label="Client id" autoComplete="username" required {...form.getInputProps('clientId')} />
        <PasswordInput
          label="Client secret"
          autoComplete="current-password"
          required
          {...form.getInputProps('clientSecret')}
        />
        {request.error ? <ErrorPanel error={request.error} /> : undefined}
        <Button type="submit" loading={request.isPending}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}
