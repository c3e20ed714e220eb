/** Inodes and names of the fake disk: written data, synced data, and the result of a crash. */

const SECTOR = 512;

export interface Inode {
  data: Buffer;
  /** The data that survives a power loss. */
  synced: Buffer;
  /** The data of a failed sync: the system marks it clean, so that a second sync skips it. */
  failed?: Buffer;
}

type Name = readonly [name: string, inode: Inode];

/** What one operation does to the names of a folder. A name is removed only if it is still one of that inode. */
interface NameChange {
  readonly removed?: Name;
  readonly added?: Name;
}

export interface FakeFolder {
  names: Map<string, Inode>;
  synced: Map<string, Inode>;
  /** Changes of names since the last sync, in order. */
  changes: NameChange[];
}

/** How much unsynced data a power loss loses: everything, or a random part. */
export type PowerLossKind = 'everything' | { readonly random: () => number };
/** Nothing is lost when only the process is killed. */
export type Loss = 'nothing' | PowerLossKind;

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

export function applyNameChange(folder: FakeFolder, change: NameChange): void {
  applyTo(folder.names, change);
  folder.changes.push(change);
}

function applyTo(names: Map<string, Inode>, { removed, added }: NameChange): void {
  if (removed && names.get(removed[0]) === removed[1]) names.delete(removed[0]);
  if (added) names.set(...added);
}

/** A folder after the process was killed: what was not synced still is not. */
export function copyFolder(folder: FakeFolder, copyInode: (inode: Inode) => Inode): FakeFolder {
  const copyNames = (names: Map<string, Inode>) => new Map([...names].map(([name, inode]) => [name, copyInode(inode)]));
  return {
    names: copyNames(folder.names),
    synced: copyNames(folder.synced),
    changes: folder.changes.map(({ removed, added }) => ({
      ...(removed && { removed: [removed[0], copyInode(removed[1])] }),
      ...(added && { added: [added[0], copyInode(added[1])] }),
    })),
  };
}

export function namesAfterCrash(folder: FakeFolder, loss: PowerLossKind): Map<string, Inode> {
  const names = new Map(folder.synced);
  if (loss === 'everything') return names;
  for (const change of folder.changes) if (loss.random() < 0.5) applyTo(names, change);
  return names;
}

/** Each sector has its synced or written contents or, if the file has grown, zeros. */
export function bytesAfterCrash({ data, synced }: Inode, loss: PowerLossKind): Buffer {
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
