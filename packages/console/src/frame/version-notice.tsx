/** Says that the server was replaced by another version while the page was open. The page remains usable. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { consoleRequestOptions } from '../api/clients.ts';
import { useConsole } from '../api/console-context.ts';

export function VersionNotice() {
  const served = useServedScript();
  const own = scriptNameOf(document);
  if (served === undefined || own === undefined || served === own) return undefined;
  return (
    <Alert color="orange" variant="light" role="status" title="The server has another version than this page" mb="md">
      <Group justify="space-between">
        <Text>This page may lack what the server has, or show it wrongly. Reload it before you type more.</Text>
        <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </Group>
    </Alert>
  );
}

/** The script of the page that the server has now. It is read again after each connection: a restart may replace it. */
function useServedScript(): string | undefined {
  const { location, connection } = useConsole();
  const { data } = useQuery({
    queryKey: ['console script'],
    initialData: { name: scriptNameOf(document) },
    queryFn: async ({ signal }) => {
      const response = await connection.fetch(`${location.consolePath}/`, { ...consoleRequestOptions, signal });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      return { name: response.ok ? scriptNameOf(page) : undefined };
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.name;
}

/** The build names scripts by their content. */
function scriptNameOf(page: Document): string | undefined {
  return page.querySelector('script[type="module"]')?.getAttribute('src')?.split('/').at(-1);
}
