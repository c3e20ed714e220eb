/** Health, version and store of the server, from the documents that it serves without credentials. */
import { useQuery } from '@tanstack/react-query';
import { consoleRequestOptions } from '../../api/clients.ts';
import type { Connection } from '../../api/connection.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';

interface ServerIndex {
  readonly version?: string;
  readonly interface?: string;
}

interface Readiness {
  readonly status?: string;
  readonly store?: string;
  readonly audit?: string;
}

interface Health {
  readonly status?: string;
}

const refetchInterval = 10_000;

export function useServerStatus() {
  const { location, connection } = useConsole();
  return useQuery({
    queryKey: ['server-status', location.basePath],
    queryFn: async ({ signal }) => {
      const read = <Document>(path: string) =>
        readDocument<Document>(connection, `${location.basePath}${path}`, signal);
      const [index, health, readiness] = await Promise.all([
        read<ServerIndex>('/'),
        read<Health>('/healthz'),
        read<Readiness>('/readyz'),
      ]);
      return { index, health, readiness };
    },
    refetchInterval,
  });
}

/** A server that is not ready says why with status 503. */
async function readDocument<Document>({ fetch }: Connection, path: string, signal: AbortSignal): Promise<Document> {
  const headers = { ...consoleRequestOptions.headers, Accept: 'application/json' };
  const send = async () => {
    const response = await fetch(path, { ...consoleRequestOptions, headers, signal });
    const body: unknown = await response.json().catch(() => undefined);
    const isDocument = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isDocument
      ? { data: body as Document, response: new Response(undefined, { status: 200 }) }
      : { error: body, response };
  };
  return unwrap<Document>(send());
}
