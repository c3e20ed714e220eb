/** Keeps queries current: a change on the server refetches what it affects. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useConsole } from './console-context.ts';
import { type LiveEvent, topics } from './live-events.ts';

/** Changes of the same kind that arrive together cause one refetch. */
const groupingTime = 200;

/**
 * Refetches the queries whose key begins with the topic of a change. Used once, by the frame of all pages.
 * @returns whether changes arrive
 */
export function useLiveQueries(): boolean {
  const { liveEvents } = useConsole();
  const queryClient = useQueryClient();
  const [isConnected, setConnected] = useState(true);
  useEffect(() => {
    const refetch = createGroupedRefetch(queryClient);
    const unsubscribe = liveEvents.subscribe((event) => {
      setConnected(event !== 'disconnected');
      refetch(event);
    });
    const stop = liveEvents.start();
    return () => {
      stop();
      unsubscribe();
    };
  }, [liveEvents, queryClient]);
  return isConnected;
}

function createGroupedRefetch(queryClient: QueryClient): (event: LiveEvent) => void {
  const waiting = new Set<LiveEvent>();
  return (event) => {
    if (event === 'disconnected' || waiting.has(event)) return;
    waiting.add(event);
    setTimeout(() => {
      waiting.delete(event);
      const isTopic = topics.some((topic) => topic === event);
      void queryClient.invalidateQueries(isTopic ? { queryKey: [event] } : {});
    }, groupingTime);
  };
}
