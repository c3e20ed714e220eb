/** Files and names of the fake disk: what was written, what was synced, and what a crash leaves of both. */

const SECTOR = 512;

export interface Inode {
  data: Buffer;
  /** What a power loss would leave for sure. */
  synced: Buffer;
  /** What a failed sync left: the system takes it for written, so that a second sync passes over it. */
  given?: Buffer;
}

type NameChange = (names: Map<string, Inode>) => void;

export interface FakeFolder {
  names: Map<string, Inode>;
  synced: Map<string, Inode>;
  /** What was done to the names since the last sync, in order. */
  changes: NameChange[];
}

/** How much of what was not synced a crash leaves: all (the process was killed), none, or a random part. */
export type Loss = 'nothing' | 'everything' | { readonly random: () => number };

export function createFakeFolder(): FakeFolder {
  return { names: new Map(), synced: new Map(), changes: [] };
}

export function createSyncedInode(data: Buffer): Inode {
  return { data: Buffer.from(data), synced: Buffer.from(data) };
}

/** All of it, but for the sectors that a sync before failed to write and nobody wrote again. */
export function syncedBytes({ data, synced, given }: Inode): Buffer {
  const bytes = Buffer.from(data);
  for (let start = 0; given !== undefined && start < bytes.length; start += SECTOR) {
    const sector = bytes.subarray(start, start + SECTOR);
    if (!sector.equals(given.subarray(start, start + SECTOR))) continue;
    sector.fill(0);
    synced.subarray(start, start + SECTOR).copy(sector);
  }
  return bytes;
}

export function applyNameChange(folder: FakeFolder, make: NameChange): void {
  make(folder.names);
  folder.changes.push(make);
}

export function namesAfterCrash(folder: FakeFolder, loss: Loss): Map<string, Inode> {
  if (loss === 'nothing') return folder.names;
  const names = new Map(folder.synced);
  if (loss === 'everything') return names;
  for (const make of folder.changes) if (loss.random() < 0.5) make(names);
  return names;
}

/** Each sector is as it was synced, or as it was written, or, where the file had grown, empty. */
export function bytesAfterCrash({ data, synced }: Inode, loss: Loss): Buffer {
  if (loss === 'nothing') return data;
  if (loss === 'everything') return synced;
  const longer = Math.max(data.length, synced.length);
  const lengths = [data.length, synced.length, Math.floor(loss.random() * (longer + 1))];
  const result = Buffer.alloc(lengths[Math.floor(loss.random() * 3)] as number);
  // What was synced stays, whatever the length that a torn write left.
  const kept = Math.max(result.length, Math.min(data.length, synced.length));
  const bytes = Buffer.alloc(kept);
  for (let start = 0; start < kept; start += SECTOR) {
    const source = loss.random() < 0.5 ? data : synced;
    source.subarray(start, Math.min(start + SECTOR, kept)).copy(bytes, start);
  }
  return bytes;
}
