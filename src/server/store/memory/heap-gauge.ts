/** Whether the heap is nearly full. */
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Beyond this part of its limit, the heap takes no more rows: V8 ends the process at the limit. */
const HIGHEST_USE = 0.85;

export interface HeapGauge {
  isFull(): boolean;
  close(): void;
}

/** What `getHeapStatistics` returns, as far as it is used here. */
export interface HeapUse {
  readonly used_heap_size: number;
  readonly heap_size_limit: number;
}

/** Whether so much of the heap is in use that no more rows should be added. */
export function isHeapFull({ used_heap_size, heap_size_limit }: HeapUse): boolean {
  return used_heap_size > heap_size_limit * HIGHEST_USE;
}

/**
 * Observes the heap of this process. It is judged only after a full collection: in between, it contains garbage, and may
 * seem full without being so. Near the limit, full collections are frequent.
 */
export function observeHeap(): HeapGauge {
  let full = false;
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) full = isHeapFull(getHeapStatistics());
  });
  observer.observe({ entryTypes: ['gc'] });
  return { isFull: () => full, close: () => observer.disconnect() };
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
