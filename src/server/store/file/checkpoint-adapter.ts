/** The lowdb adapter of checkpoints: writes atomically and retains the previous checkpoint. */
import { type Adapter, Low } from 'lowdb';
import { type Checkpoint, checkpointSlices, decodeCheckpoint } from './checkpoint-format.ts';
import { type Disk, type DiskFile, writeAll } from './disk.ts';
import type { Layout } from './layout.ts';
import { createDamagedError } from './open-error.ts';

const EMPTY_CHECKPOINT: Checkpoint = { sequence: 0, epoch: 0, writtenAt: '', tables: new Map() };

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
    const bytes = await this.#disk.read(this.#file);
    if (bytes === undefined) throw createDamagedError(this.#file, 0, 'the file is missing');
    this.size = bytes.length;
    return decodeCheckpoint(this.#file, bytes);
  }

  async write(checkpoint: Checkpoint): Promise<void> {
    const temporary = `${this.#file}.tmp`;
    try {
      await this.#writeContents(temporary, checkpoint);
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => {});
      throw error;
    }
    await this.#activate(temporary);
  }

  async #writeContents(path: string, checkpoint: Checkpoint): Promise<void> {
    const file = await this.#disk.open(path, 'replace');
    try {
      this.size = await writeSlices(file, checkpoint);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** A crash between the renames is safe: either checkpoint is complete together with the write-ahead log. */
  async #activate(temporary: string): Promise<void> {
    const { folder, previous, path } = this.#layout;
    const names = await this.#disk.list(folder);
    if (names?.some((name) => path(name) === this.#file)) await this.#disk.rename(this.#file, previous);
    await this.#disk.rename(temporary, this.#file);
    await this.#disk.syncFolder(folder);
  }
}

/** Writes the checkpoint with its CRC suffix, yielding between slices. @returns its length in bytes. */
async function writeSlices(file: DiskFile, checkpoint: Checkpoint): Promise<number> {
  let size = 0;
  for (const bytes of checkpointSlices(checkpoint)) {
    await writeAll(file, bytes, size);
    size += bytes.length;
  }
  return size;
}

/** Reads a checkpoint and its size. @throws StoreOpenError if it is missing or damaged. */
export async function readCheckpoint(disk: Disk, layout: Layout, file: string): Promise<[Checkpoint, size: number]> {
  const adapter = new CheckpointAdapter(disk, layout, file);
  const low = new Low<Checkpoint>(adapter, EMPTY_CHECKPOINT);
  await low.read();
  return [low.data, adapter.size];
}

/** Replaces the current checkpoint, which becomes the previous one. @returns the size in bytes. */
export async function writeCheckpoint(disk: Disk, layout: Layout, checkpoint: Checkpoint): Promise<number> {
  const adapter = new CheckpointAdapter(disk, layout, layout.checkpoint);
  const low = new Low<Checkpoint>(adapter, checkpoint);
  await low.write();
  // The overlays own the rows; lowdb must not retain them.
  low.data = EMPTY_CHECKPOINT;
  return adapter.size;
}
