/** The console: theme, query cache and router. */
import { Alert, Badge, createTheme, Drawer, MantineProvider, Modal } from '@mantine/core';
import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { callerQueryKey } from './api/caller.ts';
import { type Console, ConsoleContext } from './api/console-context.ts';
import { isForbidden, isUnreachable } from './api/errors.ts';
import { createConsoleRouter } from './router.tsx';

/** The shades have enough contrast for WCAG 2.2 AA in both colour schemes. */
const theme = createTheme({
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // A title in the colour of its alert would lack contrast.
    Alert: Alert.extend({ vars: () => ({ root: { '--alert-color': 'var(--mantine-color-text)' } }) }),
    // The text of a badge in its colour would lack contrast.
    Badge: Badge.extend({ defaultProps: { variant: 'dot' } }),
    // The page has one header: those of dialogs are no landmarks.
    Drawer: Drawer.extend({ defaultProps: { attributes: { header: { role: 'presentation' } } } }),
    Modal: Modal.extend({ defaultProps: { attributes: { header: { role: 'presentation' } } } }),
  },
});

const longestRetry = 5000;

/** While the server does not respond, requests are repeated; a page of old data remains visible. */
function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({
      // The roles changed since they were read.
      onError: (error) => isForbidden(error) && void client.invalidateQueries({ queryKey: callerQueryKey }),
    }),
    defaultOptions: {
      queries: {
        retry: (count, error) => isUnreachable(error) && count < 120,
        retryDelay: (attempt) => Math.min(500 * 2 ** attempt, longestRetry),
        refetchOnWindowFocus: true,
        staleTime: 2000,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

export function App({ console, nonce }: { readonly console: Console; readonly nonce: string }) {
  const [queryClient] = useState(createQueryClient);
  const [router] = useState(() => createConsoleRouter(console.location.consolePath));
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <ConsoleContext value={console}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </ConsoleContext>
    </MantineProvider>
  );
}
