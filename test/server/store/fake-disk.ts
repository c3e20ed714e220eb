/**
 * An in-memory disk that tracks written and synced data separately, so that a crash can lose the difference: contents by
 * sector, names by operation. It fails, fills up and writes partially on demand.
 */
import { basename, dirname } from 'node:path';
import type { Disk, DiskFile, OpenMode, ReadableFile } from '../../../src/server/store/file/disk.ts';
import { toReadableFile } from '../../../src/server/store/file/line-reader.ts';
import {
  applyNameChange,
  bytesAfterCrash,
  copyFolder,
  createFakeFolder,
  createSyncedInode,
  type FakeFolder,
  type Inode,
  type Loss,
  namesAfterCrash,
  type PowerLossKind,
  syncedBytes,
} from './fake-inode.ts';

export type { Loss } from './fake-inode.ts';

/** One disk operation, such as 'sync journal.jsonl'. */
export interface DiskOperation {
  readonly kind: 'make' | 'open' | 'write' | 'truncate' | 'syncData' | 'sync' | 'rename' | 'remove' | 'syncFolder';
  readonly name: string;
}

class PowerLoss extends Error {}

/** Copies each inode once, so that several names of an inode stay names of one. */
function copyOnce(copy: (inode: Inode) => Inode): (inode: Inode) => Inode {
  const copies = new Map<Inode, Inode>();
  return (inode) => {
    const copied = copies.get(inode) ?? copy(inode);
    copies.set(inode, copied);
    return copied;
  };
}

/** Creates a system error. */
export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
}

const SYSCALLS: Readonly<Record<DiskOperation['kind'], string>> = {
  make: 'mkdir',
  open: 'open',
  write: 'write',
  truncate: 'ftruncate',
  syncData: 'fdatasync',
  sync: 'fsync',
  rename: 'rename',
  remove: 'unlink',
  syncFolder: 'fsync',
};

export class FakeDisk implements Disk {
  /** All operations that change data or make it durable. */
  readonly operations: DiskOperation[] = [];
  /** Called before each operation, which fails with the error it throws. */
  before: (operation: DiskOperation, count: number) => void = () => {};
  /** The maximum bytes per write. */
  maxWriteBytes = Number.POSITIVE_INFINITY;
  /** The total capacity in bytes. */
  capacity = Number.POSITIVE_INFINITY;
  /** Names of open files at the time of opening. */
  readonly openFiles: string[] = [];
  readonly #folders = new Map<string, FakeFolder>([['/', createFakeFolder()]]);
  readonly #identifiers = new Map<Inode, string>();
  #lost = false;

  /** Simulates a power loss at the next matching operation. */
  loseAt(matches: (operation: DiskOperation, count: number) => boolean): void {
    this.before = (operation, count) => {
      this.#lost ||= matches(operation, count);
      if (this.#lost) throw new PowerLoss(`lost at ${operation.kind} ${operation.name}`);
    };
  }

  /** Makes matching operations fail with a system error. */
  failAt(code: string, matches: (operation: DiskOperation, count: number) => boolean): void {
    this.before = (operation, count) => {
      if (matches(operation, count)) throw systemError(code, SYSCALLS[operation.kind]);
    };
  }

  heal(): void {
    this.before = () => {};
  }

  /** Returns the disk as the next start finds it. */
  afterCrash(loss: Loss): FakeDisk {
    return loss === 'nothing' ? this.#afterKill() : this.#afterPowerLoss(loss);
  }

  #afterKill(): FakeDisk {
    const next = new FakeDisk();
    const copyOf = copyOnce((inode) => ({
      ...inode,
      data: Buffer.from(inode.data),
      synced: Buffer.from(inode.synced),
    }));
    for (const [path, folder] of this.#folders) next.#folders.set(path, copyFolder(folder, copyOf));
    return next;
  }

  #afterPowerLoss(loss: PowerLossKind): FakeDisk {
    const next = new FakeDisk();
    const copyOf = copyOnce((inode) => createSyncedInode(bytesAfterCrash(inode, loss)));
    // In the order of their creation: parents first. A folder without a name is lost with all of its files.
    for (const [path, folder] of this.#folders) {
      const isNamed = path === '/' || next.#folders.get(dirname(path))?.names.has(basename(path));
      if (!isNamed) continue;
      const names = new Map([...namesAfterCrash(folder, loss)].map(([name, inode]) => [name, copyOf(inode)]));
      next.#folders.set(path, { names, synced: new Map(names), changes: [] });
    }
    return next;
  }

  /** Returns a file's contents, for assertions. */
  contents(path: string): Buffer | undefined {
    const data = this.#folders.get(dirname(path))?.names.get(basename(path))?.data;
    return data === undefined ? undefined : Buffer.from(data);
  }

  /** Adds a durable file. */
  plant(path: string, data: Buffer): void {
    const folder = this.#folder(dirname(path));
    const inode = createSyncedInode(data);
    folder.names.set(basename(path), inode);
    folder.synced.set(basename(path), inode);
  }

  /** Removes a file durably. */
  unplant(path: string): void {
    const folder = this.#folder(dirname(path));
    folder.names.delete(basename(path));
    folder.synced.delete(basename(path));
  }

  async makeFolder(path: string): Promise<void> {
    this.#record('make', path);
    if (this.#folders.has(path)) return;
    applyNameChange(this.#folder(dirname(path)), { added: [basename(path), createSyncedInode(Buffer.alloc(0))] });
    this.#folders.set(path, createFakeFolder());
  }

  async restrictFolder(): Promise<void> {}

  async list(path: string): Promise<readonly string[] | undefined> {
    const folder = this.#folders.get(path);
    return folder && [...folder.names.keys()];
  }

  async identify(path: string): Promise<string | undefined> {
    return this.identifyNow(path);
  }

  identifyNow(path: string): string | undefined {
    const inode = this.#folders.get(dirname(path))?.names.get(basename(path));
    return inode && this.#identifierOf(inode);
  }

  async read(path: string): Promise<Buffer | undefined> {
    if (this.#lost) throw new PowerLoss('lost');
    return this.contents(path);
  }

  async openToRead(path: string): Promise<ReadableFile | undefined> {
    const bytes = await this.read(path);
    return bytes && toReadableFile(bytes);
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const folder = this.#folder(dirname(path));
    const name = basename(path);
    const existing = folder.names.get(name);
    if (mode === 'create' && existing !== undefined) throw systemError('EEXIST', 'open');
    if ((mode === 'modify' || mode === 'read') && existing === undefined) throw systemError('ENOENT', 'open');
    if (mode !== 'read') this.#record('open', name);
    const inode = existing ?? { data: Buffer.alloc(0), synced: Buffer.alloc(0) };
    if (existing === undefined) applyNameChange(folder, { added: [name, inode] });
    if (mode === 'replace') inode.data = Buffer.alloc(0);
    return this.#file(inode, name);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#record('rename', `${basename(from)} ${basename(to)}`);
    const folder = this.#folder(dirname(from));
    const inode = folder.names.get(basename(from));
    if (inode === undefined) throw systemError('ENOENT', 'rename');
    applyNameChange(folder, { removed: [basename(from), inode], added: [basename(to), inode] });
  }

  async remove(path: string): Promise<void> {
    this.#record('remove', basename(path));
    const folder = this.#folder(dirname(path));
    const inode = folder.names.get(basename(path));
    if (inode === undefined) throw systemError('ENOENT', 'unlink');
    applyNameChange(folder, { removed: [basename(path), inode] });
  }

  async syncFolder(path: string): Promise<void> {
    this.#record('syncFolder', basename(path));
    const folder = this.#folder(path);
    folder.synced = new Map(folder.names);
    folder.changes = [];
  }

  #identifierOf(inode: Inode): string {
    const identifier = this.#identifiers.get(inode) ?? `1:${this.#identifiers.size + 1}`;
    this.#identifiers.set(inode, identifier);
    return identifier;
  }

  #close(name: string): void {
    const at = this.openFiles.indexOf(name);
    if (at < 0) throw systemError('EBADF', 'close');
    this.openFiles.splice(at, 1);
  }

  #file(inode: Inode, name: string): DiskFile {
    this.openFiles.push(name);
    let isOpen = true;
    const sync = async (kind: 'sync' | 'syncData') => {
      try {
        this.#record(kind, name);
      } catch (error) {
        inode.failed = Buffer.from(inode.data);
        throw error;
      }
      inode.synced = syncedBytes(inode);
    };
    return {
      fd: -1,
      identify: async () => {
        if (!isOpen) throw systemError('EBADF', 'fstat');
        return this.#identifierOf(inode);
      },
      write: async (bytes, position) => this.#write(inode, name, bytes, position),
      truncate: async (size) => {
        this.#record('truncate', name);
        inode.data = Buffer.from(inode.data.subarray(0, size));
      },
      syncData: () => sync('syncData'),
      sync: () => sync('sync'),
      close: async () => {
        this.#close(name);
        isOpen = false;
      },
    };
  }

  #write(inode: Inode, name: string, bytes: Uint8Array, position: number): number {
    this.#record('write', name);
    const room = this.capacity - this.#used() + Math.max(0, inode.data.length - position);
    const length = Math.min(bytes.length, this.maxWriteBytes, Math.max(0, room));
    if (length === 0 && bytes.length > 0) throw systemError('ENOSPC', 'write');
    const grown = Buffer.alloc(Math.max(inode.data.length, position + length));
    inode.data.copy(grown);
    grown.set(bytes.subarray(0, length), position);
    inode.data = grown;
    // Written again, also with the same bytes, a sector is dirty again.
    for (let at = position; at < position + length && at < (inode.failed?.length ?? 0); at += 1)
      inode.failed?.writeUInt8(255 - (grown[at] as number), at);
    return length;
  }

  #used(): number {
    let used = 0;
    for (const { names } of this.#folders.values()) for (const inode of names.values()) used += inode.data.length;
    return used;
  }

  #folder(path: string): FakeFolder {
    const folder = this.#folders.get(path);
    if (folder === undefined) throw systemError('ENOENT', 'open');
    return folder;
  }

  #record(kind: DiskOperation['kind'], name: string): void {
    const operation = { kind, name };
    this.before(operation, this.operations.length);
    this.operations.push(operation);
  }
}
