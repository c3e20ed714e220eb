/** The marker file tells a store's folder from any other one, and a store that lost its files from a new one. */
import * as z from 'zod';
import { type Disk, replaceFileAtomically } from './disk.ts';
import { FORMAT_VERSION, type Layout } from './layout.ts';
import { createDamagedError, createNewerFormatError, StoreOpenError } from './open-error.ts';

const Marker = z.object({
  kind: z.literal('iam-store'),
  formatVersion: z.number(),
  /** False from before the first file is written until all of them are there. */
  initialised: z.boolean(),
});
type Marker = z.infer<typeof Marker>;

/** The state of the folder: not a store yet, a first start that was broken off, or a store. */
export async function readMarker(disk: Disk, layout: Layout): Promise<'none' | 'begun' | 'initialised'> {
  const bytes = await disk.read(layout.marker);
  if (bytes === undefined) return 'none';
  const marker = Marker.safeParse(parseJson(layout.marker, bytes));
  if (!marker.success) throw createDamagedError(layout.marker, 0, 'this is not the marker of a store');
  const { formatVersion, initialised } = marker.data;
  if (formatVersion > FORMAT_VERSION)
    throw createNewerFormatError(layout.marker, `the store has format ${formatVersion}`);
  return initialised ? 'initialised' : 'begun';
}

export async function writeMarker(disk: Disk, layout: Layout, initialised: boolean): Promise<void> {
  const marker: Marker = { kind: 'iam-store', formatVersion: FORMAT_VERSION, initialised };
  await replaceFileAtomically(disk, layout.folder, layout.marker, Buffer.from(`${JSON.stringify(marker)}\n`));
}

/** @throws StoreOpenError where a marker says that nothing was written, and something was. */
export async function assertNothingWritten(disk: Disk, layout: Layout): Promise<void> {
  const journal = await disk.read(layout.wal);
  const head = (journal?.indexOf('\n') ?? -1) + 1;
  if (journal === undefined || head === 0 || head === journal.length) return;
  throw createDamagedError(layout.marker, 0, 'it says that nothing was ever written, and the journal holds commits');
}

/** A folder to be looked at that has no marker, or does not exist. */
export function createNoStoreError(folder: string): StoreOpenError {
  return new StoreOpenError('not-ours', `${folder} holds no store. Name the folder of one.`, { file: folder });
}

/** A folder that holds something, but no marker. */
export function createNotOursError(folder: string): StoreOpenError {
  const message = `${folder} is not empty and is not a store. Name an empty or a new folder, or one that is a store.`;
  return new StoreOpenError('not-ours', message, { file: folder });
}

function parseJson(file: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw createDamagedError(file, 0, bytes.length === 0 ? 'the file is empty' : 'this is not JSON');
  }
}
