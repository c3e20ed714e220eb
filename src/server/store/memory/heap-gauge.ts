/** How full the heap is. */
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface HeapGauge {
  /** The part of its limit that is in use: V8 ends the process at the limit. */
  use(): number;
  close(): void;
}

/**
 * Observes the heap of this process. It is judged only after a full collection: in between, it contains garbage, and may
 * seem full without being so. Near the limit, full collections are frequent.
 */
export function observeHeap(): HeapGauge {
  let use = 0;
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) use = readHeapUse();
  });
  observer.observe({ entryTypes: ['gc'] });
  return { use: () => use, close: () => observer.disconnect() };
}

function readHeapUse(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
