/** How full the heap is. */
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface HeapGauge {
  /** The part of its limit that is in use: V8 ends the process at the limit. */
  use(): number;
  close(): void;
}

/** What `getHeapStatistics` returns, as far as it is used here. */
export interface HeapUse {
  readonly used_heap_size: number;
  readonly heap_size_limit: number;
}

export function computeHeapUse({ used_heap_size, heap_size_limit }: HeapUse): number {
  return used_heap_size / heap_size_limit;
}

/**
 * Observes the heap of this process. It is judged only after a full collection: in between, it contains garbage, and may
 * seem full without being so. Near the limit, full collections are frequent.
 */
export function observeHeap(): HeapGauge {
  let use = 0;
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) use = computeHeapUse(getHeapStatistics());
  });
  observer.observe({ entryTypes: ['gc'] });
  return { use: () => use, close: () => observer.disconnect() };
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
