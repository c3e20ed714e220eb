/** A list of the newest, whose rows stay in place while the reader looks at them; what was added meanwhile is counted. */
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useConsole } from '../console-context.ts';
import { unwrap } from '../errors.ts';
import { type PagedListOptions, usePagedList } from './use-paged-list.ts';

interface LiveListOptions<Item> extends Omit<PagedListOptions<Item>, 'isHeld'> {
  /** Constant. */
  keyOf(item: Item): string;
  /** Whether a row is open beside the list. */
  readonly isRowOpen: boolean;
}

export interface LiveState {
  readonly isPaused: boolean;
  setPaused(isPaused: boolean): void;
  /** How many rows were added since the list is held; at most `maxCounted`. */
  readonly newCount: number;
  /** Shows them, at the top. */
  showNew(): void;
  /** Of the rows. */
  readonly scroller: RefObject<HTMLDivElement | null>;
}

/** More would not be read at a glance. */
export const maxCounted = 100;

export function useLiveList<Item>({ keyOf, isRowOpen, ...options }: LiveListOptions<Item>) {
  const { queryKey, read, refetchInterval } = options;
  const clients = useConsole();
  const scroller = useRef<HTMLDivElement>(null);
  const [isPaused, setPaused] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  const isHeld = isPaused || isScrolled || isRowOpen;
  const { onVisible: noteVisible, ...list } = usePagedList({ ...options, isHeld });
  const { items: held, refetch } = list;
  const top = held[0] === undefined ? undefined : keyOf(held[0]);
  const { data: newest } = useQuery({
    queryKey: [...queryKey, 'newer than', isHeld ? top : undefined],
    queryFn: ({ signal }) => unwrap(read(clients, { limit: maxCounted }, signal)),
    enabled: isHeld && list.isReady,
    gcTime: 0,
    structuralSharing: false,
    refetchInterval,
  });
  const isEmptied = isHeld && top !== undefined && newest?.length === 0;
  useEffect(() => {
    if (isEmptied) void refetch();
  }, [isEmptied, refetch]);
  // Without rows, nothing reports that the list is at its top.
  useEffect(() => {
    if (top === undefined) setScrolled(false);
  }, [top]);
  // The state of an item can change, such as whether a code was used.
  const items = useMemo(() => {
    if (!isHeld || !newest) return held;
    const current = new Map(newest.map((item) => [keyOf(item), item]));
    return held.map((item) => current.get(keyOf(item)) ?? item);
  }, [isHeld, held, newest, keyOf]);
  const onVisible = useCallback(
    (first: number) => {
      setScrolled(first > 0);
      noteVisible(first);
    },
    [noteVisible],
  );
  const showNew = () => {
    scroller.current?.scrollTo({ top: 0 });
    noteVisible(0);
    void refetch();
  };
  const newCount = isHeld && newest ? countBefore(newest, (item) => keyOf(item) === top) : 0;
  const live: LiveState = { isPaused, setPaused, newCount, showNew, scroller };
  return { ...list, items, onVisible, live };
}

/** Without a match, all are counted. */
function countBefore<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  const at = items.findIndex(matches);
  return at < 0 ? items.length : at;
}
