/** What lowdb reads and writes a checkpoint through: nothing is kept that is not whole, and the one before stays. */
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
  /** The size of what was read or written last. */
  size = 0;

  constructor(disk: Disk, layout: Layout, file: string) {
    this.#disk = disk;
    this.#layout = layout;
    this.#file = file;
  }

  /** Never null: lowdb would take its default instead, and lost data for a new store. */
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
    await this.#putInPlace(temporary);
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

  /** Whichever of the two names comes true in a crash: with the journal, either checkpoint holds everything. */
  async #putInPlace(temporary: string): Promise<void> {
    const { folder, previous, path } = this.#layout;
    const names = await this.#disk.list(folder);
    if (names?.some((name) => path(name) === this.#file)) await this.#disk.rename(this.#file, previous);
    await this.#disk.rename(temporary, this.#file);
    await this.#disk.syncFolder(folder);
  }
}

/** Writes the text and its seal; gives its length in bytes. Between slices, others get a turn. */
async function writeSlices(file: DiskFile, checkpoint: Checkpoint): Promise<number> {
  let size = 0;
  for (const bytes of checkpointSlices(checkpoint)) {
    await writeAll(file, bytes, size);
    size += bytes.length;
  }
  return size;
}

/** Reads a checkpoint with its size. @throws StoreOpenError where there is none, or a damaged one. */
export async function readCheckpoint(disk: Disk, layout: Layout, file: string): Promise<[Checkpoint, size: number]> {
  const adapter = new CheckpointAdapter(disk, layout, file);
  const low = new Low<Checkpoint>(adapter, EMPTY_CHECKPOINT);
  await low.read();
  return [low.data, adapter.size];
}

/** Puts a checkpoint in the place of the current one, which becomes the previous one. Gives its size. */
export async function writeCheckpoint(disk: Disk, layout: Layout, checkpoint: Checkpoint): Promise<number> {
  const adapter = new CheckpointAdapter(disk, layout, layout.checkpoint);
  const low = new Low<Checkpoint>(adapter, checkpoint);
  await low.write();
  // Rows live in the layers; lowdb is not to hold on to them.
  low.data = EMPTY_CHECKPOINT;
  return adapter.size;
}
