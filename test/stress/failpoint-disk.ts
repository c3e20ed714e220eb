/** A disk of this machine whose process is killed, as by `kill -9`, before or after a certain operation. */
import { basename } from 'node:path';
import type { Disk, DiskFile } from '../../src/server/store/json/disk.ts';
import type { DiskOperation } from '../server/store/fake-disk.ts';
import { bindDisk } from './disk-methods.ts';

export interface Failpoint {
  readonly kind: DiskOperation['kind'];
  /** The file, or both names of a rename. */
  readonly name: string;
  readonly side: 'before' | 'after';
  /** Which one of those operations: 1 for the first. */
  readonly occurrence: number;
  /** Counts only operations on files to which this text was written last. */
  readonly containing?: string | undefined;
}

/** @param kill ends the process at once. */
export function withFailpoint(disk: Disk, at: Failpoint, kill: () => void): Disk {
  let turns = 0;
  let written = '';
  async function around<Result>(kind: Failpoint['kind'], name: string, work: () => Promise<Result>): Promise<Result> {
    const fits =
      kind === at.kind && name === at.name && (at.containing === undefined || written.includes(at.containing));
    if (fits) turns += 1;
    const hit = fits && turns === at.occurrence;
    if (hit && at.side === 'before') kill();
    const result = await work();
    if (hit) kill();
    return result;
  }
  const watched = (file: DiskFile, name: string): DiskFile => ({
    write(bytes, position) {
      written = at.containing === undefined ? '' : Buffer.from(bytes).toString('latin1');
      return around('write', name, () => file.write(bytes, position));
    },
    truncate: (size) => around('truncate', name, () => file.truncate(size)),
    syncData: () => around('syncData', name, () => file.syncData()),
    sync: () => around('sync', name, () => file.sync()),
    close: () => file.close(),
  });
  return {
    ...bindDisk(disk),
    open(path, mode) {
      const name = basename(path);
      // What is opened so is in its place under its final name before anything is appended to it.
      const lasting = mode === 'modify' && name === 'journal.next.jsonl' ? 'journal.jsonl' : name;
      return around('open', name, async () => watched(await disk.open(path, mode), lasting));
    },
    rename: (from, to) => around('rename', `${basename(from)} ${basename(to)}`, () => disk.rename(from, to)),
    remove: (path) => around('remove', basename(path), () => disk.remove(path)),
    syncFolder: (path) => around('syncFolder', basename(path), () => disk.syncFolder(path)),
  };
}
