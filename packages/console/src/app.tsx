/** The console: theme, query cache and router. */
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { callerQueryKey } from './api/caller.ts';
import { type Console, ConsoleContext } from './api/console-context.ts';
import { isForbidden, isUnreachable } from './api/errors.ts';
import { createConsoleRouter } from './router.tsx';
import { resolveVariables, theme } from './theme.ts';

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
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <ConsoleContext value={console}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </ConsoleContext>
    </MantineProvider>
  );
}
