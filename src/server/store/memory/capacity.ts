/** The limits of the embedded engines, which are refused before they are crossed. */
import { getHeapStatistics } from 'node:v8';
import { StoreUnavailableError } from '../store.ts';
import type { HeapGauge } from './heap-gauge.ts';
import type { OverlayChain } from './overlay-chain.ts';

/** A Map holds at most 2 ** 24 entries. The difference is for the rows of the overlays above the base. */
const MAX_TABLE_ENTRIES = 16_000_000;

export interface Capacity {
  /** The maximum number of rows of a table, and of values in one of its indexes. */
  readonly maxTableEntries: number;
  /** The part of the heap limit that is in use, from 0 to 1. */
  heapUse(): number;
}

/** Without a gauge, the heap has no limit. */
export const defaultCapacity: Capacity = { maxTableEntries: MAX_TABLE_ENTRIES, heapUse: () => 0 };

/** The capacity of a store in this process. */
export function createCapacity(heap: HeapGauge | undefined): Capacity {
  return heap ? { ...defaultCapacity, heapUse: heap.use } : defaultCapacity;
}

/** Bytes of the heap that an import takes for each byte of its document, with the rows: 6 to 7 measured. */
const HEAP_PER_BYTE = 8;
/** Beyond this part of the heap limit, no rows are added. */
const HIGHEST_USE_FOR_INSERTS = 0.85;
/** A lock, a revocation or a new password changes rows: it is possible for longer. */
const HIGHEST_USE_FOR_CHANGES = 0.95;

const fullMemory = (highestUse: number) =>
  `The memory is full: more than ${100 * highestUse} % of the heap limit is in use, or would be. Raise --max-old-space-size of Node, or delete rows.`;

/** Why no rows are added; undefined if there is memory. */
export function findFullMemory({ heapUse }: Capacity): string | undefined {
  return heapUse() > HIGHEST_USE_FOR_INSERTS ? fullMemory(HIGHEST_USE_FOR_INSERTS) : undefined;
}

/** @throws StoreUnavailableError if the table takes no further row. Deletes are always possible. */
export function assertInsertable(chain: OverlayChain, capacity: Capacity): void {
  const reason = findFullMemory(capacity);
  if (reason !== undefined) throw new StoreUnavailableError(reason);
  assertEntriesFit(chain, capacity);
}

/** @throws StoreUnavailableError if the heap has no room for the import of a document of this length. */
export function assertImportable(heap: HeapGauge | undefined, length: number): void {
  if (!heap) return;
  const share = (length * HEAP_PER_BYTE) / getHeapStatistics().heap_size_limit;
  if (heap.use() + share > HIGHEST_USE_FOR_INSERTS)
    throw new StoreUnavailableError(fullMemory(HIGHEST_USE_FOR_INSERTS));
}

/** @throws StoreUnavailableError if no row of the table can be changed. */
export function assertReplaceable(chain: OverlayChain, capacity: Capacity): void {
  if (capacity.heapUse() > HIGHEST_USE_FOR_CHANGES)
    throw new StoreUnavailableError(fullMemory(HIGHEST_USE_FOR_CHANGES));
  assertEntriesFit(chain, capacity);
}

/** The values of an index are entries, too, and a changed row can have more of them. */
function assertEntriesFit(chain: OverlayChain, { maxTableEntries }: Capacity): void {
  let entries = 0;
  // An upper bound: the overlays may have some rows in common.
  for (const overlay of chain) entries += overlay.largestMapSize;
  if (entries >= maxTableEntries)
    throw new StoreUnavailableError(
      `The table ${chain[0]?.shape.name} has reached its limit of ${maxTableEntries} entries.`,
    );
}
