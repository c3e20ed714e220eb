/** The frame of all pages: top bar, menu, and the page itself. */
import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useLiveQueries } from '../api/use-live-queries.ts';
import { pageList } from '../pages/page-list.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { LoginGate } from './login-gate.tsx';
import { TopBar } from './top-bar/top-bar.tsx';
import { usePageShortcuts } from './use-page-shortcuts.ts';

export function Frame() {
  const [isMenuOpen, menu] = useDisclosure(false);
  const isConnected = useLiveQueries();
  const { pathname } = useLocation();
  usePageShortcuts();
  useDocumentTitle(pathname);
  return (
    <AppShell
      header={{ height: { base: 96, sm: 56 } }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <AppShell.Header px="md" py={8}>
        <Group gap="sm" wrap="wrap">
          <Burger
            opened={isMenuOpen}
            onClick={menu.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
          />
          <Text fw={700} component={Link} to="/" c="inherit" td="none">
            IAM console
          </Text>
          <TopBar />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pageList.map(({ path, title, key }) => (
          <NavLink
            key={path}
            component={Link}
            to={path}
            label={title}
            active={pathname.includes(`/_iam/console${path}`) || pathname.startsWith(path)}
            onClick={menu.close}
            aria-keyshortcuts={`g ${key}`}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <ConnectionNotice isConnected={isConnected} />
        <LoginGate>
          <Outlet />
        </LoginGate>
      </AppShell.Main>
    </AppShell>
  );
}

/** Titles name the page only: they are stored in the history of the browser. */
function useDocumentTitle(pathname: string): void {
  const title = pageList.find(({ path }) => pathname.includes(path))?.title;
  const last = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (last.current === title) return;
    last.current = title;
    document.title = title === undefined ? 'IAM console' : `${title} - IAM console`;
  }, [title]);
}
