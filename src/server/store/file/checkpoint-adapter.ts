/**
 * Reads and writes checkpoints through lowdb. lowdb only connects data with an adapter; the format, the syncs and the
 * atomic replacement are in the adapter, as lowdb's own adapters neither sync nor keep the previous file.
 */
import { type Adapter, Low } from 'lowdb';
import { type Checkpoint, checkpointSlices, decodeCheckpoint } from './checkpoint-format.ts';
import { type Disk, writeTemporaryFile } from './disk.ts';
import type { Layout } from './layout.ts';
import { createDamagedError } from './open-error.ts';

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
    const bytes = await this.#disk.read(this.#file);
    if (bytes === undefined) throw createDamagedError(this.#file, 0, 'the file is missing');
    this.size = bytes.length;
    return decodeCheckpoint(this.#file, bytes);
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
