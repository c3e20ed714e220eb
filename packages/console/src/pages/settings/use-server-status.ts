/** Health, version and store of the server, from the documents that it serves without credentials. */
import { useQuery } from '@tanstack/react-query';
import { consoleRequestOptions } from '../../api/clients.ts';
import type { Connection } from '../../api/connection.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';

/** The members that the pages show are texts. */
type ServerDocument = Readonly<Record<string, string | undefined>>;

const refetchInterval = 10_000;

export function useServerStatus() {
  const { location, connection } = useConsole();
  return useQuery({
    queryKey: ['server-status', location.basePath],
    queryFn: async ({ signal }) => {
      const read = (path: string) => readDocument(connection, `${location.basePath}${path}`, signal);
      const [index, health, readiness] = await Promise.all(['/', '/healthz', '/readyz'].map(read));
      return { index, health, readiness };
    },
    refetchInterval,
  });
}

/** A server that is not ready says why with status 503. */
async function readDocument({ fetch }: Connection, path: string, signal: AbortSignal): Promise<ServerDocument> {
  const headers = { ...consoleRequestOptions.headers, Accept: 'application/json' };
  const send = async () => {
    const response = await fetch(path, { ...consoleRequestOptions, headers, signal });
    const body: unknown = await response.json().catch(() => undefined);
    const isDocument = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isDocument
      ? { data: body as ServerDocument, response: new Response(undefined, { status: 200 }) }
      : { error: body, response };
  };
  return unwrap<ServerDocument>(send());
}
