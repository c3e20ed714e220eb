/** AdministratorToken of an administrator. The token stays in memory; secrets are sent once and not kept. */
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../api/console-context.ts';
import type { AdministratorToken } from '../api/credentials.ts';
import { unwrap } from '../api/errors.ts';
import { ErrorPanel } from './error-panel.tsx';

export function LoginForm({ onLogin }: { onLogin(credentials: AdministratorToken): void }) {
  const { service } = useConsole();
  const form = useForm({ initialValues: { clientId: '', clientSecret: '' } });
  const login = useMutation({
    mutationFn: async ({ clientId, clientSecret }: typeof form.values): Promise<AdministratorToken> => {
      const headers = { Authorization: formatBasic(clientId, clientSecret) };
      const token = await unwrap(service.POST('/client-identities/login', { headers } as never));
      return { accessToken: (token as { accessToken: string }).accessToken, subject: clientId };
    },
    onSuccess: onLogin,
  });
  return (
    <form onSubmit={form.onSubmit((values) => login.mutate(values))}>
      <Stack gap="sm">
        <Text size="sm">
          This server requires a client with IAM_ADMIN_MAINTENANCE, or with IAM_ADMIN_READ_ONLY to look around.
        </Text>
        <TextInput label="Client id" autoComplete="username" required {...form.getInputProps('clientId')} />
        <PasswordInput
          label="Client secret"
          autoComplete="current-password"
          required
          {...form.getInputProps('clientSecret')}
        />
        {login.error ? <ErrorPanel error={login.error} /> : undefined}
        <Button type="submit" loading={login.isPending}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}

/** Id and secret are form-encoded before they are joined (RFC 6749, 2.3.1). */
function formatBasic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`;
}
