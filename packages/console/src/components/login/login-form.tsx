/** Credentials of an administrator: those of a user with a second factor, or those of a client. */
import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ClientLoginForm } from './client-login-form.tsx';
import type { LoginFormProps } from './login-form-props.ts';
import { UserLoginForm } from './user-login-form.tsx';

const kinds = [
  { value: 'user', label: 'User' },
  { value: 'client', label: 'Client' },
];

export function LoginForm({ onLogin }: LoginFormProps) {
  const [kind, setKind] = useState('user');
  return (
    <Stack gap="sm">
      <Text size="sm">
        IAM_ADMIN_MAINTENANCE allows everything, IAM_ADMIN_READ_ONLY allows reading without codes and secrets. A reload
        of the page ends the login.
      </Text>
      <SegmentedControl aria-label="Log in as" data={kinds} value={kind} onChange={setKind} />
      {kind === 'user' ? <UserLoginForm onLogin={onLogin} /> : <ClientLoginForm onLogin={onLogin} />}
    </Stack>
  );
}
