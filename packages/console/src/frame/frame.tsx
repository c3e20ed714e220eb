/** The frame of all pages: top bar, menu, and the page itself. */
import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useConsole } from '../api/console-context.ts';
import { useLiveQueries } from '../api/use-live-queries.ts';
import { LoginGate } from '../components/login/login-gate.tsx';
import { ColorSchemeButton } from '../components/top-bar/color-scheme-button.tsx';
import { LoginButton } from '../components/top-bar/login-button.tsx';
import { TopBar } from '../components/top-bar/top-bar.tsx';
import { pageList } from '../pages/page-list.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { PageMenu } from './page-menu.tsx';
import { usePageShortcuts } from './use-page-shortcuts.ts';
import { VersionNotice } from './version-notice.tsx';

export function Frame() {
  const [isMenuOpen, menu] = useDisclosure(false);
  const { location } = useConsole();
  const isConnected = useLiveQueries();
  const { pathname } = useLocation();
  usePageShortcuts();
  // Titles name the page only: the browser stores them in its history.
  const title = pageList.find(({ path }) => pathname.includes(path))?.title;
  useDocumentTitle(title === undefined ? 'IAM console' : `${title} - IAM console`);
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
          <Group ml="auto" gap="xs" wrap="nowrap" hiddenFrom="sm">
            <LoginButton />
            <ColorSchemeButton />
          </Group>
          <Group gap="xs" ml={{ base: 0, sm: 'auto' }} w={{ base: '100%', sm: 'auto' }}>
            <TopBar />
            <Group visibleFrom="sm">
              <ColorSchemeButton />
            </Group>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages" style={{ overflowY: 'auto' }}>
        <PageMenu pathname={pathname} onOpen={menu.close} />
        <NavLink component="a" href={`${location.basePath}/_iam/docs`} label="API reference" />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <ConnectionNotice isConnected={isConnected} />
        <VersionNotice />
        <LoginGate>
          <Outlet />
        </LoginGate>
      </AppShell.Main>
    </AppShell>
  );
}
