/** Power losses at random operations of a simulated disk. */
import type { FileStore, FileStoreOptions } from '../../../src/server/store/file/file-store.ts';
import { type DiskOperation, type FakeDisk, type Loss, systemError } from '../../server/store/fake-disk.ts';
import type { Random } from '../../server/store/random.ts';
import type { StoreHarness } from '../../server/store/store-harness.ts';

/** What of the unsynced data is lost. */
export function pickLoss(random: Random): Loss {
  const kind = random();
  if (kind < 0.1) return 'nothing';
  return kind < 0.3 ? 'everything' : { random };
}

/** @returns undefined if the disk was lost meanwhile */
export async function openIfAvailable(
  harness: StoreHarness,
  faults: DiskFaults,
  options: Partial<FileStoreOptions> = {},
): Promise<FileStore | undefined> {
  try {
    return await harness.open(options);
  } catch (error) {
    if (faults.lost) return undefined;
    throw error;
  }
}

/** Determines when the disk is lost and which sync fails before. */
export class DiskFaults {
  readonly #disk: FakeDisk;
  #failsNext = false;
  lost = false;

  constructor(disk: FakeDisk, operationsLeft: number) {
    this.#disk = disk;
    disk.loseAt((_, count) => {
      this.lost ||= count >= operationsLeft;
      return this.lost;
    });
    const lose = disk.before;
    disk.before = (operation, count) => {
      lose(operation, count);
      this.#fail(operation);
    };
  }

  failNextSync(): void {
    this.#failsNext = true;
  }

  /** Loses the disk: nothing is written from now on, not even by a close. */
  lose(): void {
    this.lost = true;
    this.#disk.loseAt(() => true);
  }

  #fail({ kind }: DiskOperation): void {
    if (!this.#failsNext || (kind !== 'syncData' && kind !== 'sync' && kind !== 'syncFolder')) return;
    this.#failsNext = false;
    throw systemError('EIO', kind === 'syncData' ? 'fdatasync' : 'fsync');
  }
}
