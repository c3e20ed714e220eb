/** The marker file identifies a folder as a store, and distinguishes a new store from one that lost its files. */
import * as z from 'zod';
import { type Disk, replaceFileAtomically } from './disk.ts';
import { FORMAT_VERSION, type Layout } from './layout.ts';
import { LineReader } from './line-reader.ts';
import { createDamagedError, createNewerFormatError, StoreOpenError } from './open-error.ts';

const Marker = z.object({
  kind: z.literal('iam-store'),
  formatVersion: z.number(),
  /** False until all files of a new store are written. */
  initialised: z.boolean(),
});
type Marker = z.infer<typeof Marker>;

/** The state of the folder: not a store, an interrupted first start ('begun'), or a store. */
export async function readMarker(disk: Disk, layout: Layout): Promise<'none' | 'begun' | 'initialised'> {
  const bytes = await disk.read(layout.marker);
  if (bytes === undefined) return 'none';
  const marker = Marker.safeParse(parseJson(layout.marker, bytes));
  if (!marker.success) throw createDamagedError(layout.marker, 0, 'not a valid store marker');
  const { formatVersion, initialised } = marker.data;
  if (formatVersion > FORMAT_VERSION)
    throw createNewerFormatError(layout.marker, `the store has format ${formatVersion}`);
  return initialised ? 'initialised' : 'begun';
}

export async function writeMarker(disk: Disk, layout: Layout, initialised: boolean): Promise<void> {
  const marker: Marker = { kind: 'iam-store', formatVersion: FORMAT_VERSION, initialised };
  await replaceFileAtomically(disk, layout.folder, layout.marker, Buffer.from(`${JSON.stringify(marker)}\n`));
}

/** @throws StoreOpenError if the marker is not 'initialised' but the write-ahead log contains commits. */
export async function assertNothingWritten(disk: Disk, layout: Layout): Promise<void> {
  const wal = await disk.openToRead(layout.wal);
  if (wal === undefined) return;
  const lines = new LineReader(wal);
  lines.next();
  await wal.close();
  if (!lines.complete || lines.end === wal.size) return;
  throw createDamagedError(
    layout.marker,
    0,
    'it marks the store as not initialised, but the write-ahead log contains commits',
  );
}

/** The folder to inspect has no marker, or does not exist. */
export function createNoStoreError(folder: string): StoreOpenError {
  return new StoreOpenError('not-ours', `${folder} does not contain a store. Specify the folder of a store.`, {
    file: folder,
  });
}

/** The folder contains files, but no marker. */
export function createNotOursError(folder: string): StoreOpenError {
  const message = `${folder} is not empty and is not a store. Specify a new or empty folder, or the folder of a store.`;
  return new StoreOpenError('not-ours', message, { file: folder });
}

function parseJson(file: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw createDamagedError(file, 0, bytes.length === 0 ? 'the file is empty' : 'not valid JSON');
  }
}
