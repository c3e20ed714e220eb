/** Logs in with the password of a user, and then with a code as second factor, which changes require. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import type { LoginResult } from '../../api/credentials.ts';
import { unwrap } from '../../api/errors.ts';
import { ErrorPanel } from '../error-panel.tsx';
import { formatBasic } from './format-basic.ts';
import type { LoginFormProps } from './login-form-props.ts';

export function UserLoginForm({ onLogin }: LoginFormProps) {
  const [first, setFirst] = useState<LoginResult | undefined>();
  if (first) return <SecondFactorForm first={first} onLogin={onLogin} />;
  return <PasswordForm onLogin={setFirst} />;
}

function PasswordForm({ onLogin }: LoginFormProps) {
  const { login } = useConsole();
  const form = useForm({ initialValues: { clientId: '', userName: '', password: '' } });
  const request = useMutation({
    // The cache keeps what was sent.
    gcTime: 0,
    mutationFn: async ({ clientId, userName, password }: typeof form.values): Promise<LoginResult> => {
      const { accessToken } = await unwrap(
        login.POST('/user-identities/login', {
          params: { query: { clientId } },
          headers: { Authorization: formatBasic(userName, password) },
        }),
      );
      return { accessToken, subject: userName };
    },
    onSuccess: onLogin,
  });
  return (
    <form onSubmit={form.onSubmit((values) => request.mutate(values))}>
      <Stack gap="sm">
        <TextInput label="User name" autoComplete="username" required {...form.getInputProps('userName')} />
        <PasswordInput label="Password" autoComplete="current-password" required {...form.getInputProps('password')} />
        <TextInput
          label="Application client"
          description="The server printed its id at the first start"
          autoComplete="off"
          required
          {...form.getInputProps('clientId')}
        />
        {request.error ? <ErrorPanel error={request.error} /> : undefined}
        <Button type="submit" loading={request.isPending}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}

interface SecondFactorFormProps extends LoginFormProps {
  readonly first: LoginResult;
}

function SecondFactorForm({ first, onLogin }: SecondFactorFormProps) {
  const { login } = useConsole();
  const [code, setCode] = useState('');
  const headers = { Authorization: `Bearer ${first.accessToken}` };
  const sending = useMutation({
    // The cache keeps what was sent.
    gcTime: 0,
    mutationFn: () => unwrap(login.POST('/user-identities/me/leverage-mfa', { headers, body: {} })),
  });
  const proving = useMutation({
    // The cache keeps what was sent.
    gcTime: 0,
    mutationFn: async (challengeId: string): Promise<LoginResult> => {
      const body = { challengeId, token: code.trim() };
      const { accessToken } = await unwrap(login.POST('/user-identities/me/fulfill-mfa', { headers, body }));
      return { ...first, accessToken };
    },
    onSuccess: onLogin,
  });
  const error = proving.error ?? sending.error;
  return (
    <Stack gap="sm">
      <Text size="sm">Changes, codes and secrets require a second factor.</Text>
      <Group>
        <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
          {sending.data ? 'Send another code' : 'Send a code'}
        </Button>
        <Button variant="subtle" onClick={() => onLogin(first)}>
          Continue read-only
        </Button>
      </Group>
      {sending.data ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            proving.mutate(sending.data.challengeId);
          }}
        >
          <Group align="flex-end">
            <TextInput
              label={`Code sent to ${sending.data.contact}`}
              value={code}
              onChange={({ currentTarget }) => setCode(currentTarget.value)}
              autoComplete="one-time-code"
              inputMode="numeric"
              required
            />
            <Button type="submit" loading={proving.isPending}>
              Verify
            </Button>
          </Group>
        </form>
      ) : undefined}
      {error ? <ErrorPanel error={error} /> : undefined}
    </Stack>
  );
}
