/** What is the same on every page: the service, the search, what is in force on it, and who has logged in. */
import { Kbd, UnstyledButton } from '@mantine/core';
import { Icon } from '../icon.tsx';
import { ClockPill } from './clock-dialog.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { FaultsMenu } from './faults-menu.tsx';
import { LoginButton } from './login-button.tsx';
import { SandboxMenu } from './sandbox-menu.tsx';
import { type FrameDialog, ServerMenu } from './server-menu.tsx';

export function TopBar({ onOpen }: { onOpen(dialog: FrameDialog): void }) {
  return (
    <>
      <SandboxMenu />
      <UnstyledButton className="bar-search" onClick={() => onOpen('palette')} aria-keyshortcuts="Control+K Meta+K">
        <Icon name="search" />
        <span className="bar-text">Search or jump to…</span>
        <Kbd className="wide-only" aria-hidden>
          {/Mac/.test(window.navigator.userAgent) ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </UnstyledButton>
      <span className="bar-space" />
      <FaultsMenu />
      <ClockPill onOpen={() => onOpen('clock')} />
      <ServerMenu onOpen={onOpen} />
      {/* On narrow screens they are at the end of the menu. */}
      <span className="wide-only">
        <ColorSchemeButton />
      </span>
      <span className="wide-only bar-account">
        <LoginButton />
      </span>
    </>
  );
}
