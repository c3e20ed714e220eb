/** How many entries a list has: the server counts them beside the pages, not again with each page of scrolling. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useConsole } from '../console-context.ts';
import { type FetchResult, unwrapResponse } from '../errors.ts';
import type { RequestClients } from '../requests.ts';
import type { PagedList } from './use-paged-list.ts';

interface CountQuery {
  readonly limit: number;
  readonly count: true;
}

interface ListCountOptions<Filters> {
  readonly noun: string;
  /** By the names of the query parameters. */
  readonly filters: Filters;
  read(
    clients: RequestClients,
    query: CountQuery & Partial<Filters>,
    signal: AbortSignal,
  ): Promise<FetchResult<unknown>>;
}

export interface ListCount {
  readonly isFiltered: boolean;
  /** Entries that match the filters. Undefined until it is known. */
  readonly matching: number | undefined;
  /** Entries without filters. Undefined until it is known. */
  readonly all: number | undefined;
}

/** Counts only what the pages that are read do not show: of a short list without filters, nothing. */
export function useListCount<Filters extends object>(
  list: PagedList<unknown>,
  options: ListCountOptions<Filters>,
): ListCount {
  const isFiltered = Object.values(options.filters).some((value) => value !== undefined);
  const isComplete = list.isReady && list.loadMore === undefined;
  const counted = useCount(options, options.filters, list.isReady && !isComplete);
  const all = useCount(options, {}, list.isReady && (isFiltered || !isComplete));
  const matching = isComplete ? list.items.length : counted;
  return { isFiltered, matching, all: isFiltered ? all : matching };
}

function useCount<Filters>(
  { noun, read }: ListCountOptions<Filters>,
  filters: Partial<Filters>,
  enabled: boolean,
): number | undefined {
  const clients = useConsole();
  const { data } = useQuery({
    queryKey: [noun, 'count', filters],
    queryFn: async ({ signal }) => {
      const { response } = await unwrapResponse(read(clients, { limit: 1, count: true, ...filters }, signal));
      const total = response.headers.get('x-total-count');
      // An older server does not count.
      return total === null ? null : Number(total);
    },
    enabled,
    placeholderData: keepPreviousData,
  });
  return data ?? undefined;
}
