/**
 * Reads and writes checkpoints through lowdb. lowdb only connects data with an adapter; the format, the syncs and the
 * atomic replacement are in the adapter, as lowdb's own adapters neither sync nor keep the previous file.
 */
import { type Adapter, Low } from 'lowdb';
import { createDamagedError } from '../open-error.ts';
import { type Checkpoint, checkpointSlices, decodeCheckpoint } from './checkpoint-format.ts';
import { type Disk, type ReadableFile, writeTemporaryFile } from './disk.ts';
import type { Layout } from './layout.ts';

/** lowdb requires default data; `CheckpointAdapter.read` never leaves it in place. */
const DEFAULT_DATA: Checkpoint = { sequence: 0, epoch: 0, writtenAt: '', tables: new Map() };

class CheckpointAdapter implements Adapter<Checkpoint> {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #file: string;
  /** The size of the checkpoint last read or written, in bytes. */
  size = 0;

  constructor(disk: Disk, layout: Layout, file: string) {
    this.#disk = disk;
    this.#layout = layout;
    this.#file = file;
  }

  /** Never returns null: lowdb would use its default, and a lost file would look like a new store. */
  async read(): Promise<Checkpoint> {
    return readRequired(this.#disk, this.#file, (contents) => {
      this.size = contents.size;
      return decodeCheckpoint(this.#file, contents);
    });
  }

  /** A crash between the renames is safe: either checkpoint is complete together with the write-ahead log. */
  async write(checkpoint: Checkpoint): Promise<void> {
    const { folder, previous, path } = this.#layout;
    const temporary = `${this.#file}.tmp`;
    this.size = await writeTemporaryFile(this.#disk, temporary, checkpointSlices(checkpoint));
    const names = await this.#disk.list(folder);
    if (names?.some((name) => path(name) === this.#file)) await this.#disk.rename(this.#file, previous);
    await this.#disk.rename(temporary, this.#file);
    await this.#disk.syncFolder(folder);
  }
}

/** Opens a file of the store and closes it after `read`. @throws StoreOpenError if it is missing. */
export async function readRequired<Result>(
  disk: Disk,
  file: string,
  read: (contents: ReadableFile) => Result | Promise<Result>,
): Promise<Result> {
  const contents = await disk.openToRead(file);
  if (contents === undefined) throw createDamagedError(file, 0, 'the file is missing');
  try {
    return await read(contents);
  } finally {
    await contents.close();
  }
}

/** Reads a checkpoint and its size. @throws StoreOpenError if it is missing or damaged. */
export async function readCheckpoint(disk: Disk, layout: Layout, file: string): Promise<[Checkpoint, size: number]> {
  const adapter = new CheckpointAdapter(disk, layout, file);
  const low = new Low<Checkpoint>(adapter, DEFAULT_DATA);
  await low.read();
  return [low.data, adapter.size];
}

/** Replaces the current checkpoint, which becomes the previous one. @returns the size in bytes. */
export async function writeCheckpoint(disk: Disk, layout: Layout, checkpoint: Checkpoint): Promise<number> {
  const adapter = new CheckpointAdapter(disk, layout, layout.checkpoint);
  await new Low<Checkpoint>(adapter, checkpoint).write();
  return adapter.size;
}
