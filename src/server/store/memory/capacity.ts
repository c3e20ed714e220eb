/** The limits of the embedded engines, which are refused before they are crossed. */
import { StoreUnavailableError } from '../store.ts';
import type { OverlayChain } from './overlay-chain.ts';

/** A Map holds at most 2 ** 24 entries. The difference is for the rows of the overlays above the base. */
export const MAX_TABLE_ENTRIES = 16_000_000;

export interface Capacity {
  /** The maximum number of rows of a table, and of values in one of its indexes. */
  readonly maxTableEntries: number;
  /** Whether there is no memory for further rows. */
  isMemoryFull(): boolean;
}

export const defaultCapacity: Capacity = { maxTableEntries: MAX_TABLE_ENTRIES, isMemoryFull: () => false };

export const memoryFullReason =
  'The memory is full: 85 % of the heap limit is in use. Raise --max-old-space-size of Node, or delete rows.';

/** @throws StoreUnavailableError if the table takes no further row. Deletes are always possible. */
export function assertCapacity(chain: OverlayChain, { maxTableEntries, isMemoryFull }: Capacity): void {
  if (isMemoryFull()) throw new StoreUnavailableError(memoryFullReason);
  let entries = 0;
  // An upper bound: the overlays may have some rows in common.
  for (const overlay of chain) entries += overlay.largestMapSize;
  if (entries >= maxTableEntries)
    throw new StoreUnavailableError(
      `The table ${chain[0]?.shape.name} has reached its limit of ${maxTableEntries} entries.`,
    );
}
