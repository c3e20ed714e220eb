/** An object with its version, which its edits send: a parallel change is not overwritten. */
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useConsole } from './console-context.ts';
import { unwrapResponse } from './errors.ts';
import type { ApiRequest } from './requests.ts';

export interface Versioned<Value> {
  readonly value: Value;
  /** For If-Match. */
  readonly etag: string | undefined;
}

/** @param queryKey see `useRead` */
export function useVersioned<Value>(
  queryKey: readonly unknown[],
  request: ApiRequest<Value>,
  options: Omit<UseQueryOptions<Versioned<Value>>, 'queryKey' | 'queryFn'> = {},
) {
  const clients = useConsole();
  return useQuery<Versioned<Value>>({
    ...options,
    queryKey,
    queryFn: async ({ signal }) => {
      const { data, response } = await unwrapResponse(request(clients, signal));
      return { value: data, etag: response.headers.get('etag') ?? undefined };
    },
  });
}
