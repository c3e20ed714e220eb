/** The frame of all pages: top bar, menu, and the page itself. */
import { AppShell, Burger, Group, NavLink } from '@mantine/core';
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { ConnectedContext, useLiveQueries } from '../api/live/use-live-queries.ts';
import { Icon } from '../components/icon.tsx';
import { LoginGate } from '../components/login/login-gate.tsx';
import { useServerLink } from '../components/server-link.tsx';
import { ClockDialog } from '../components/top-bar/clock-dialog.tsx';
import { ColorSchemeButton } from '../components/top-bar/color-scheme-button.tsx';
import { LoginButton } from '../components/top-bar/login-button.tsx';
import { ResetDialog } from '../components/top-bar/reset-dialog.tsx';
import { useEnvironment } from '../components/top-bar/sandbox-menu.tsx';
import type { FrameDialog } from '../components/top-bar/server-menu.tsx';
import { TopBar } from '../components/top-bar/top-bar.tsx';
import { formatUnread, useUnreadCount } from '../components/top-bar/use-latest-messages.ts';
import { pageList } from '../pages/page-list.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { PageMenu } from './page-menu.tsx';
import { Palette } from './palette/palette.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { usePageShortcuts } from './use-page-shortcuts.ts';
import { VersionNotice } from './version-notice.tsx';

export function Frame() {
  const isConnected = useLiveQueries();
  return (
    <ConnectedContext value={isConnected}>
      <FrameContent isConnected={isConnected} />
    </ConnectedContext>
  );
}

function FrameContent({ isConnected }: { readonly isConnected: boolean }) {
  const [isMenuOpen, menu] = useDisclosure(false);
  const [dialog, setDialog] = useState<FrameDialog | undefined>();
  const environment = useEnvironment();
  const unread = useUnreadCount();
  const { pathname } = useLocation();
  usePageShortcuts(setDialog);
  useTitle(pathname, unread);
  const close = () => setDialog(undefined);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <AppShell.Header className="bar" data-environment={environment}>
        <Burger
          opened={isMenuOpen}
          onClick={menu.toggle}
          hiddenFrom="sm"
          size="xs"
          aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
        />
        <Link className="bar-mark" to="/">
          <Mark />
          <span className="bar-text">IAM console</span>
        </Link>
        <TopBar onOpen={setDialog} />
      </AppShell.Header>
      <AppShell.Navbar className="page-menu" aria-label="Pages">
        <PageMenu pathname={pathname} unread={unread} onOpen={menu.close} />
        <NavLink
          component="a"
          {...useServerLink('/_iam/docs')}
          label="API reference"
          leftSection={<Icon name="book" />}
          rightSection={<Icon name="external" />}
        />
        <Group hiddenFrom="sm" gap="xs" p="xs">
          <ColorSchemeButton />
          <LoginButton />
        </Group>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <ConnectionNotice isConnected={isConnected} />
        <VersionNotice />
        <LoginGate>
          <Outlet />
        </LoginGate>
      </AppShell.Main>
      <ClockDialog isOpen={dialog === 'clock'} onClose={close} />
      <Palette isOpen={dialog === 'palette'} onClose={close} onOpen={setDialog} />
      <ShortcutsDialog isOpen={dialog === 'keys'} onClose={close} />
      <ResetDialog isOpen={dialog === 'reset'} onClose={close} />
    </AppShell>
  );
}

/** Titles name the page only: the browser stores them in its history. */
function useTitle(pathname: string, unread: number): void {
  const title = pageList.find(({ path }) => pathname.includes(path))?.title;
  const text = title === undefined ? 'IAM console' : `${title} - IAM console`;
  useDocumentTitle(unread === 0 ? text : `(${formatUnread(unread)}) ${text}`);
}

function Mark() {
  return (
    <svg viewBox="0 0 16 16" width={20} height={20} aria-hidden focusable={false}>
      <rect width={16} height={16} rx={4} fill="var(--mantine-primary-color-filled)" />
      <path
        d="M5 7V5.5a3 3 0 0 1 6 0V7m-7 0h8v5.5H4z"
        fill="none"
        stroke="#fff"
        strokeWidth={1.4}
        strokeLinejoin="round"
      />
    </svg>
  );
}
