/** Lists of any length, page by page, along the Link header of each response (RFC 8288). */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { unwrapResponse } from './errors.ts';

/** A list of 10,000 is read in 20 pages. */
const pageSize = 500;

interface PageQuery {
  readonly limit: number;
  readonly after?: string;
}

type PageResult<Item> = Promise<{ data?: readonly Item[]; error?: unknown; response: Response }>;

export interface PagedListOptions<Item> {
  /** Begins with the topic whose changes affect the list. */
  readonly queryKey: readonly unknown[];
  /** Reads one page. */
  read(query: PageQuery, signal: AbortSignal): PageResult<Item>;
  /** For lists whose changes are in no topic of the events, in milliseconds. */
  readonly refetchInterval?: number;
}

export function usePagedList<Item>({ queryKey, read, refetchInterval }: PagedListOptions<Item>) {
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: after, signal }) => {
      const pageQuery = { limit: pageSize, ...(after === undefined ? {} : { after }) };
      const { data, response } = await unwrapResponse(read(pageQuery, signal));
      return { items: data, next: nextCursorOf(response) };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
    // Otherwise each new page is compared with all earlier ones.
    structuralSharing: false,
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
  });
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    items,
    loadMore: hasNextPage ? loadMore : undefined,
    isLoading: isFetchingNextPage || query.isLoading,
    isReady: data !== undefined,
    error: query.error,
    refetch: query.refetch,
  };
}

function nextCursorOf(response: Response): string | undefined {
  const [, url] = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  return url === undefined ? undefined : (new URL(url, window.location.href).searchParams.get('after') ?? undefined);
}
