/** What changes the server as a whole: its clock, and the reset to the seed. */
import { ActionIcon, Menu } from '@mantine/core';
import { Icon } from '../icon.tsx';
import { PermittedMenuItem } from '../permitted-button.tsx';

/** The dialogs that every page can open. */
export type FrameDialog = 'clock' | 'reset' | 'palette' | 'keys';

export function ServerMenu({ onOpen }: { onOpen(dialog: FrameDialog): void }) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Server actions">
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="clock" />} onClick={() => onOpen('clock')}>
          Clock
        </Menu.Item>
        <PermittedMenuItem
          operation="POST /_iam/state/reset"
          leftSection={<Icon name="reset" />}
          c="var(--mantine-color-error)"
          onClick={() => onOpen('reset')}
        >
          Reset to the seed
        </PermittedMenuItem>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="help" />} onClick={() => onOpen('keys')}>
          Keyboard shortcuts
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
