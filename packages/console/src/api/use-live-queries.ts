/** Keeps queries current: a change on the server refetches what it affects. */
import { useThrottledCallback } from '@mantine/hooks';
import { type InvalidateQueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useConsole } from './console-context.ts';
import { isUnreachable } from './errors.ts';
import type { LiveEvent } from './live-events.ts';

/** At most one refetch in this time: also a steady stream of changes is shown. */
const groupingTime = 500;

/**
 * Refetches the queries whose key begins with the topic of a change. Used once, by the frame of all pages.
 * @returns whether the server responds and changes arrive
 */
export function useLiveQueries(): boolean {
  const { liveEvents, serviceTokens } = useConsole();
  const queryClient = useQueryClient();
  const [isConnected, setConnected] = useState(true);
  const waiting = useRef(new Set<LiveEvent>());
  const refetch = useThrottledCallback(() => {
    for (const event of waiting.current) void queryClient.invalidateQueries(filterOf(event));
    waiting.current.clear();
  }, groupingTime);
  useEffect(() => {
    const unsubscribe = liveEvents.subscribe((event) => {
      setConnected(event !== 'disconnected');
      if (event === 'disconnected') {
        // A restart may invalidate it, and a rejected request would count.
        serviceTokens.forget();
        return;
      }
      waiting.current.add(event);
      refetch();
    });
    const stop = liveEvents.start();
    return () => {
      stop();
      unsubscribe();
    };
  }, [liveEvents, serviceTokens, refetch]);
  return useRespondingServer() && isConnected;
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
