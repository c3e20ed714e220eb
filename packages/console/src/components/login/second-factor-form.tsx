/** Sends a code to a user who logged in with a password, and logs it in with the code as second factor. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import type { LoginResult } from '../../api/credentials.ts';
import { unwrap } from '../../api/errors.ts';
import { ErrorPanel } from '../error-panel.tsx';
import { useFieldErrors } from '../forms/use-field-errors.ts';

interface SecondFactorFormProps {
  /** The login with the password. */
  readonly first: LoginResult;
  onLogin(token: LoginResult): void;
}

export function SecondFactorForm({ first, onLogin }: SecondFactorFormProps) {
  const { login } = useConsole();
  const form = useForm({ initialValues: { token: '' }, validate: { token: isNotEmpty('Enter the code.') } });
  const errors = useFieldErrors({ form });
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
      const body = { challengeId, token: form.values.token.trim() };
      const { accessToken } = await unwrap(login.POST('/user-identities/me/fulfill-mfa', { headers, body }));
      return { ...first, accessToken };
    },
    onMutate: errors.clear,
    onError: errors.show,
    onSuccess: onLogin,
  });
  const error = errors.rest ?? sending.error;
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
        <form onSubmit={form.onSubmit(() => proving.mutate(sending.data.challengeId))} noValidate>
          <Stack gap="sm">
            <TextInput
              label={`Code sent to ${sending.data.contact}`}
              {...form.getInputProps('token')}
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              ref={focusOnce}
            />
            <Button type="submit" loading={proving.isPending}>
              Verify
            </Button>
          </Stack>
        </form>
      ) : undefined}
      {error ? <ErrorPanel error={error} /> : undefined}
    </Stack>
  );
}

/** When the field appears. */
function focusOnce(input: HTMLInputElement | null): void {
  input?.focus();
}
