/** What is the same on every page: the service, its clock, its faults, the reset and the login. */
import { Group } from '@mantine/core';
import { ClockMenu } from './clock-menu.tsx';
import { FaultsMenu } from './faults-menu.tsx';
import { LoginButton } from './login-button.tsx';
import { ResetButton } from './reset-button.tsx';
import { SandboxMenu } from './sandbox-menu.tsx';

export function TopBar() {
  return (
    <Group gap="xs" wrap="wrap">
      <SandboxMenu />
      <ClockMenu />
      <FaultsMenu />
      <ResetButton />
      {/* On narrow screens it is in the row of the title. */}
      <Group visibleFrom="sm">
        <LoginButton />
      </Group>
    </Group>
  );
}
