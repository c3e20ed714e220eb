/** Credentials of an administrator: those of a user with a second factor, or those of a client. */
import { Anchor, Button, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { readCallerRoles } from '../../api/caller.ts';
import { useConsole } from '../../api/console-context.ts';
import type { LoginResult } from '../../api/credentials.ts';
import { unwrap } from '../../api/errors.ts';
import { ErrorPanel } from '../error-panel.tsx';
import { useFieldErrors } from '../forms/use-field-errors.ts';
import { SecondFactorForm } from './second-factor-form.tsx';

const labels = {
  user: { kind: 'User', name: 'User name', secret: 'Password' },
  client: { kind: 'Client', name: 'Client id', secret: 'Client secret' },
};
type LoginKind = keyof typeof labels;
const kinds = Object.entries(labels).map(([value, { kind }]) => ({ value, label: kind }));

interface LoginFormProps {
  onLogin(token: LoginResult): void;
}

export function LoginForm({ onLogin }: LoginFormProps) {
  const [kind, setKind] = useState<LoginKind>('user');
  const { control } = useConsole();
  const [first, setFirst] = useState<LoginResult | undefined>();
  // A second factor gives more only to a user that may write. The gate rejects one that may not read either.
  const reading = useMutation({
    gcTime: 0,
    mutationFn: ({ accessToken }: LoginResult) => readCallerRoles(control, accessToken),
    onSuccess: ({ roles }, login) => (roles.includes('IAM_ADMIN_MAINTENANCE') ? setFirst(login) : onLogin(login)),
    onError: (_error, login) => onLogin(login),
  });
  const change = (value: string) => {
    setKind(value as LoginKind);
    setFirst(undefined);
  };
  return (
    <Stack gap="sm">
      <Text size="sm">
        IAM_ADMIN_MAINTENANCE allows everything, IAM_ADMIN_READ_ONLY allows reading without codes and secrets. A reload
        of the page ends the login.
      </Text>
      <SegmentedControl aria-label="Log in as" data={kinds} value={kind} onChange={change} />
      {first === undefined ? (
        <PasswordForm key={kind} kind={kind} onLogin={kind === 'user' ? reading.mutate : onLogin} />
      ) : (
        <SecondFactorForm first={first} onLogin={onLogin} />
      )}
    </Stack>
  );
}

function PasswordForm({ kind, onLogin }: LoginFormProps & { readonly kind: LoginKind }) {
  const { login, loginClient } = useConsole();
  const [isOtherClient, setOtherClient] = useState(loginClient === '');
  const hasClientField = kind === 'user' && isOtherClient;
  const form = useForm({
    initialValues: { name: '', secret: '', clientId: '' },
    validate: {
      name: isNotEmpty(`Enter the ${labels[kind].name.toLowerCase()}.`),
      secret: isNotEmpty(`Enter the ${labels[kind].secret.toLowerCase()}.`),
      clientId: hasClientField ? isNotEmpty('Enter the id of a client.') : undefined,
    },
  });
  const errors = useFieldErrors({ form });
  const request = useMutation({
    // The cache keeps what was sent.
    gcTime: 0,
    mutationFn: async ({ name, secret, ...values }: typeof form.values): Promise<LoginResult> => {
      const clientId = hasClientField ? values.clientId.trim() : loginClient;
      const headers = { Authorization: formatBasic(name, secret) };
      const { accessToken } = await (kind === 'user'
        ? unwrap(login.POST('/user-identities/login', { params: { query: { clientId } }, headers }))
        : unwrap(login.POST('/client-identities/login', { headers })));
      return { accessToken, subject: name };
    },
    onMutate: errors.clear,
    onError: errors.show,
    onSuccess: onLogin,
  });
  return (
    <form onSubmit={form.onSubmit((values) => request.mutate(values))} noValidate>
      <Stack gap="sm">
        <TextInput
          label={labels[kind].name}
          autoComplete="username"
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <PasswordInput
          label={labels[kind].secret}
          autoComplete="current-password"
          required
          {...form.getInputProps('secret')}
        />
        {hasClientField ? (
          <TextInput
            label="Application client"
            description="The server printed its id at the first start"
            autoComplete="off"
            required
            {...form.getInputProps('clientId')}
          />
        ) : undefined}
        {kind === 'user' && !isOtherClient ? (
          <Anchor component="button" type="button" size="sm" onClick={() => setOtherClient(true)}>
            Log in through another client
          </Anchor>
        ) : undefined}
        {errors.rest === undefined ? undefined : <ErrorPanel error={errors.rest} />}
        <Button type="submit" loading={request.isPending}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}

/** The header of a Basic authentication (RFC 7617) in UTF-8. */
function formatBasic(name: string, secret: string): string {
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
