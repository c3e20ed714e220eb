/** Lists of any length, page by page, along the Link header of each response (RFC 8288). */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useConsole } from '../console-context.ts';
import { type FetchResult, unwrapResponse } from '../errors.ts';
import type { RequestClients } from '../requests.ts';

/** A list of 10,000 is read in 20 pages. */
const pageSize = 500;

interface PageQuery {
  readonly limit: number;
  readonly after?: string;
}

export interface PagedListOptions<Item> {
  /** Begins with the topic whose changes affect the list. */
  readonly queryKey: readonly unknown[];
  read(clients: RequestClients, query: PageQuery, signal: AbortSignal): Promise<FetchResult<readonly Item[]>>;
  /** For lists whose changes are in no topic of the events, in milliseconds. */
  readonly refetchInterval?: number | undefined;
  /** Changes on the server do not change the rows; the next page is still read at the end of the list. */
  readonly isHeld?: boolean;
}

interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page. */
  readonly next: string | undefined;
  /** Of the response. */
  readonly headers?: Headers;
  /** `old`: not read again by a refetch. `dropped`: empty; the rows are read when they are scrolled to. */
  readonly state?: 'old' | 'dropped';
}

type ListData<Item> = InfiniteData<ListPage<Item>>;

/**
 * A refetch of all pages of a list of 10,000 would be 20 requests after each change. It reads this number of pages,
 * beginning with the page of the first visible row. Pages above keep their rows, so that the scroll position stays;
 * pages below are dropped. Both are read when they are scrolled to. Cursors connect the pages: no row is missing.
 */
const refetchedPages = 2;

export type PagedList<Item> = ReturnType<typeof usePagedList<Item>>;

export function usePagedList<Item>({ queryKey, read, refetchInterval, isHeld = false }: PagedListOptions<Item>) {
  const clients = useConsole();
  useCancelledRefetch(queryKey, isHeld);
  const firstVisible = useRef(0);
  const refetched = useRef({ at: 0, start: 0 });
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: after, signal, client }): Promise<ListPage<Item>> => {
      const state = client.getQueryState<ListData<Item>>(queryKey);
      if (state?.data && !state.fetchMeta?.fetchMore) {
        // A refetch goes through all pages in order.
        if (after === undefined) refetched.current = { at: 0, start: pageAt(state.data, firstVisible.current) };
        const { at, start } = refetched.current;
        refetched.current = { at: at + 1, start };
        const oldPage = state.data.pages[at];
        if (at < start && oldPage) return { state: 'old', ...oldPage };
        if (at >= start + refetchedPages) return { state: 'dropped', items: [], next: after };
      }
      const pageQuery = { limit: pageSize, ...(after === undefined ? {} : { after }) };
      const { data, response } = await unwrapResponse(read(clients, pageQuery, signal));
      return { items: data, next: nextCursorOf(response), headers: response.headers };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
    // Otherwise each new page is compared with all earlier ones.
    structuralSharing: false,
    enabled: ({ state }) => !isHeld || state.data === undefined,
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
  });
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const onVisible = useCallback(
    (first: number) => {
      firstVisible.current = first;
      if (data?.pages[pageAt(data, first)]?.state === 'old') void refetch({ cancelRefetch: false });
    },
    [data, refetch],
  );
  return {
    items,
    loadMore: hasNextPage ? loadMore : undefined,
    /** Of the last response. */
    headers: data?.pages.at(-1)?.headers,
    /** To be called with the index of the first visible row, when it or the rows change. */
    onVisible,
    isLoading: isFetchingNextPage || query.isLoading,
    isReady: data !== undefined,
    error: query.error,
    refetch,
  };
}

/** A refetch that has begun before the rows were held would still change them. */
function useCancelledRefetch(queryKey: readonly unknown[], isHeld: boolean): void {
  const client = useQueryClient();
  const key = useRef(queryKey);
  key.current = queryKey;
  useEffect(() => {
    const state = client.getQueryState(key.current);
    if (isHeld && state?.data !== undefined && !state.fetchMeta?.fetchMore)
      void client.cancelQueries({ queryKey: key.current, exact: true });
  }, [client, isHeld]);
}

/** The index of the page with this row. */
function pageAt<Item>({ pages }: ListData<Item>, row: number): number {
  let rowsBefore = 0;
  for (const [at, { items }] of pages.entries()) {
    rowsBefore += items.length;
    if (row < rowsBefore) return at;
  }
  return 0;
}

function nextCursorOf(response: Response): string | undefined {
  const [, url] = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  return url === undefined ? undefined : (new URL(url, window.location.href).searchParams.get('after') ?? undefined);
}
