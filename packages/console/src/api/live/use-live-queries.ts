/** Keeps queries current: a change on the server refetches what it affects. */
import { useThrottledCallback } from '@mantine/hooks';
import { type InvalidateQueryFilters, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useConsole } from '../console-context.ts';
import { isUnreachable } from '../errors.ts';
import { isObjectNoun } from './changed-nouns.ts';
import type { LiveEvent } from './live-events.ts';

/** Whether the server responds, for what is shown above the notice of the frame. */
export const ConnectedContext = createContext(true);

/** At most one refetch in this time: also a steady stream of changes is shown. */
const groupingTime = 500;

/** Of objects, whose lists are longer: a page of rows and its count. */
const objectGroupingTime = 1000;

/**
 * Refetches the queries whose key begins with the topic of a change. Used once, by the frame of all pages.
 * @returns whether the server responds and changes arrive
 */
export function useLiveQueries(): boolean {
  const { liveEvents, serviceTokens } = useConsole();
  const [isConnected, setConnected] = useState(true);
  const wasConnected = useRef(true);
  const refetch = useGroupedRefetch(groupingTime);
  const refetchObjects = useGroupedRefetch(objectGroupingTime);
  useEffect(() => {
    const unsubscribe = liveEvents.subscribe((event) => {
      // React stores each update until the next render, also one that changes nothing: with many events the heap would grow.
      if (wasConnected.current === (event === 'disconnected')) {
        wasConnected.current = !wasConnected.current;
        setConnected(wasConnected.current);
      }
      // A restart or another time may invalidate it, and a rejected request would count.
      if (event === 'disconnected' || event === 'clock') serviceTokens.forget();
      if (event === 'disconnected') return;
      if (isObjectNoun(event)) refetchObjects(event);
      else refetch(event);
    });
    const stop = liveEvents.start();
    return () => {
      stop();
      unsubscribe();
    };
  }, [liveEvents, serviceTokens, refetch, refetchObjects]);
  return useRespondingServer() && isConnected;
}

/** @returns a function that refetches at once what an event affects, and what follows it in this time when it is over */
function useGroupedRefetch(time: number): (event: LiveEvent) => void {
  const queryClient = useQueryClient();
  const waiting = useRef(new Set<LiveEvent>());
  const refetch = useThrottledCallback((): void => {
    // What a write of this page deletes must not be read again. It reads by itself what it changed.
    if (queryClient.isMutating() > 0) return void setTimeout(() => refetch(), time);
    for (const event of waiting.current) void queryClient.invalidateQueries(filterOf(event));
    waiting.current.clear();
  }, time);
  return useCallback(
    (event) => {
      waiting.current.add(event);
      refetch();
    },
    [refetch],
  );
}

/** Whether no query waits for the server to respond. */
function useRespondingServer(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => !cache.getAll().some(({ state }) => isUnreachable(state.fetchFailureReason)),
  );
}

/** After a gap, everything may have changed. */
function filterOf(event: LiveEvent): InvalidateQueryFilters {
  return event === 'connected' ? {} : { queryKey: [event] };
}
