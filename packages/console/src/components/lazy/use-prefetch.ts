/** Loads the files of all pages ahead while the browser is idle: pages then open at once, also while the server is down. */
import { useEffect } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { assertServerResponds } from './lazy-component.tsx';

/** The first page, and what it reads, come first. In milliseconds. */
const firstPause = 2000;

interface Prefetched {
  prefetch(): Promise<unknown>;
}

/** @param parts constant; what failed is loaded after the next connection */
export function usePrefetch(parts: readonly Prefetched[]): void {
  const { liveEvents } = useConsole();
  useEffect(() => {
    let controller = new AbortController();
    const start = () => {
      controller.abort();
      controller = new AbortController();
      prefetch(parts, controller.signal).catch(() => {});
    };
    start();
    const unsubscribe = liveEvents.subscribe((event) => event === 'connected' && start());
    return () => {
      unsubscribe();
      controller.abort();
    };
  }, [parts, liveEvents]);
}

/** One after the other, so that none delays what the reader does. */
async function prefetch(parts: readonly Prefetched[], signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, firstPause));
  await assertServerResponds();
  for (const part of parts) {
    await untilIdle();
    if (signal.aborted) return;
    await part.prefetch();
  }
}

/** Safari has no idle callbacks. */
function untilIdle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in window ? requestIdleCallback(resolve) : setTimeout(resolve, 100),
  );
}
