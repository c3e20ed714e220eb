/** What a page reads of the server, by the key of its query. */
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useConsole } from './console-context.ts';
import { unwrap } from './errors.ts';
import type { ApiRequest } from './requests.ts';

/** @param queryKey begins with the noun that the changes of writes name: 'users' */
export function useRead<Data>(
  queryKey: readonly unknown[],
  request: ApiRequest<Data>,
  options: Omit<UseQueryOptions<Data>, 'queryKey' | 'queryFn'> = {},
) {
  const clients = useConsole();
  return useQuery<Data>({ ...options, queryKey, queryFn: ({ signal }) => unwrap(request(clients, signal)) });
}
