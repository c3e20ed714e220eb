/** What is the same on every page: the service, its clock, its faults, the reset, and the colour scheme. */
import { Group } from '@mantine/core';
import { ClockMenu } from './clock-menu.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { FaultsMenu } from './faults-menu.tsx';
import { LoginButton } from './login-button.tsx';
import { ResetButton } from './reset-button.tsx';
import { SandboxMenu } from './sandbox-menu.tsx';

export function TopBar() {
  return (
    <Group gap="xs" flex={1} justify="flex-end" wrap="wrap">
      <SandboxMenu />
      <ClockMenu />
      <FaultsMenu />
      <ResetButton />
      <ColorSchemeButton />
      <LoginButton />
    </Group>
  );
}
