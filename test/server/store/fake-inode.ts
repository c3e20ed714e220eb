/** Inodes and names of the fake disk: written data, synced data, and the result of a crash. */

const SECTOR = 512;

export interface Inode {
  data: Buffer;
  /** The data that survives a power loss. */
  synced: Buffer;
  /** The data of a failed sync: the system marks it clean, so that a second sync skips it. */
  failed?: Buffer;
}

type NameChange = (names: Map<string, Inode>) => void;

export interface FakeFolder {
  names: Map<string, Inode>;
  synced: Map<string, Inode>;
  /** Changes of names since the last sync, in order. */
  changes: NameChange[];
}

/** How much unsynced data a crash loses: nothing (the process was killed), everything, or a random part. */
export type Loss = 'nothing' | 'everything' | { readonly random: () => number };

export function createFakeFolder(): FakeFolder {
  return { names: new Map(), synced: new Map(), changes: [] };
}

export function createSyncedInode(data: Buffer): Inode {
  return { data: Buffer.from(data), synced: Buffer.from(data) };
}

/** The data without sectors that an earlier sync failed to write and that did not change since. */
export function syncedBytes({ data, synced, failed }: Inode): Buffer {
  const bytes = Buffer.from(data);
  for (let start = 0; failed !== undefined && start < bytes.length; start += SECTOR) {
    const sector = bytes.subarray(start, start + SECTOR);
    if (!sector.equals(failed.subarray(start, start + SECTOR))) continue;
    sector.fill(0);
    synced.subarray(start, start + SECTOR).copy(sector);
  }
  return bytes;
}

export function applyNameChange(folder: FakeFolder, apply: NameChange): void {
  apply(folder.names);
  folder.changes.push(apply);
}

export function namesAfterCrash(folder: FakeFolder, loss: Loss): Map<string, Inode> {
  if (loss === 'nothing') return folder.names;
  const names = new Map(folder.synced);
  if (loss === 'everything') return names;
  for (const apply of folder.changes) if (loss.random() < 0.5) apply(names);
  return names;
}

/** Each sector has its synced or written contents or, if the file has grown, zeros. */
export function bytesAfterCrash({ data, synced }: Inode, loss: Loss): Buffer {
  if (loss === 'nothing') return data;
  if (loss === 'everything') return synced;
  const longer = Math.max(data.length, synced.length);
  const lengths = [data.length, synced.length, Math.floor(loss.random() * (longer + 1))];
  const result = Buffer.alloc(lengths[Math.floor(loss.random() * 3)] as number);
  // Synced data is retained, whatever the length of a torn write.
  const retained = Math.max(result.length, Math.min(data.length, synced.length));
  const bytes = Buffer.alloc(retained);
  for (let start = 0; start < retained; start += SECTOR) {
    const source = loss.random() < 0.5 ? data : synced;
    source.subarray(start, Math.min(start + SECTOR, retained)).copy(bytes, start);
  }
  return bytes;
}
