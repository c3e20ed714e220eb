/** A disk that kills its process, as `kill -9` does, before or after a given operation. */
import { basename } from 'node:path';
import type { Disk, DiskFile } from '../../src/server/store/file/disk.ts';
import type { DiskOperation } from '../server/store/fake-disk.ts';
import { bindDisk, bindDiskFile } from './disk-methods.ts';

export interface Failpoint {
  readonly kind: DiskOperation['kind'];
  /** The file, or both names of a rename. */
  readonly name: string;
  readonly side: 'before' | 'after';
  /** Which matching operation triggers the kill; 1 is the first. */
  readonly occurrence: number;
  /** Counts only operations that follow a write that contains this text. */
  readonly containing?: string | undefined;
}

/** Wraps a disk with a failpoint. @param kill ends the process immediately. */
export function withFailpoint(disk: Disk, at: Failpoint, kill: () => void): Disk {
  let matches = 0;
  let written = '';
  async function around<Result>(kind: Failpoint['kind'], name: string, work: () => Promise<Result>): Promise<Result> {
    const fits =
      kind === at.kind && name === at.name && (at.containing === undefined || written.includes(at.containing));
    if (fits) matches += 1;
    const isHit = fits && matches === at.occurrence;
    if (isHit && at.side === 'before') kill();
    const result = await work();
    if (isHit) kill();
    return result;
  }
  const watched = (file: DiskFile, name: string): DiskFile => ({
    ...bindDiskFile(file),
    write(bytes, position) {
      written = at.containing === undefined ? '' : Buffer.from(bytes).toString('latin1');
      return around('write', name, () => file.write(bytes, position));
    },
    truncate: (size) => around('truncate', name, () => file.truncate(size)),
    syncData: () => around('syncData', name, () => file.syncData()),
    sync: () => around('sync', name, () => file.sync()),
  });
  return {
    ...bindDisk(disk),
    open(path, mode) {
      const name = basename(path);
      // This file is renamed to its final name before the first append.
      const finalName = mode === 'modify' && name === 'journal.next.jsonl' ? 'journal.jsonl' : name;
      return around('open', name, async () => watched(await disk.open(path, mode), finalName));
    },
    rename: (from, to) => around('rename', `${basename(from)} ${basename(to)}`, () => disk.rename(from, to)),
    remove: (path) => around('remove', basename(path), () => disk.remove(path)),
    syncFolder: (path) => around('syncFolder', basename(path), () => disk.syncFolder(path)),
  };
}
