/** The marker file identifies a folder as a store, and distinguishes a new store from one that lost its files. */
import * as z from 'zod';
import { createDamagedError, StoreOpenError } from '../open-error.ts';
import { appendCrc, parseChecked } from './checksum.ts';
import { type Disk, replaceFileAtomically } from './disk.ts';
import { assertFormatVersion, FORMAT_VERSION, type Layout } from './layout.ts';
import { LineReader } from './line-reader.ts';

const NEWLINE = 0x0a;

const CheckedMarker = z.strictObject({
  kind: z.literal('iam-store'),
  formatVersion: z.literal(FORMAT_VERSION),
  /** False until all files of a new store are written. */
  initialised: z.boolean(),
  /** Of a folder that a restore or a copy writes to: a server that started on it would serve an empty store. */
  awaitsContents: z.literal(true).optional(),
  storeId: z.string(),
  crc32: z.string(),
});
export type Marker = Readonly<Omit<z.output<typeof CheckedMarker>, 'crc32'>>;
/** What the markers of all versions have. */
const AnyMarker = z.object({ kind: z.literal('iam-store'), formatVersion: z.number() });
/** Those of format 1 have no CRC. Any member of another name is a damaged `crc32`. */
const FirstMarker = z.strictObject({ ...AnyMarker.shape, formatVersion: z.literal(1), initialised: z.boolean() });

/** Reads the marker; undefined if the folder has none, and so is not a store. */
export async function readMarker(disk: Disk, layout: Layout): Promise<Marker | undefined> {
  const bytes = await disk.read(layout.marker);
  return bytes === undefined ? undefined : decodeMarker(layout.marker, bytes);
}

export async function writeMarker(
  disk: Disk,
  layout: Layout,
  content: Pick<Marker, 'storeId' | 'initialised' | 'awaitsContents'>,
): Promise<void> {
  const marker: Marker = { kind: 'iam-store', formatVersion: FORMAT_VERSION, ...content };
  const line = appendCrc(JSON.stringify(marker).slice(0, -1));
  await replaceFileAtomically(disk, layout.folder, layout.marker, Buffer.from(line));
}

function decodeMarker(file: string, bytes: Buffer): Marker {
  const checked = parseChecked(bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes);
  const identified =
    checked === undefined ? FirstMarker.safeParse(parseJson(file, bytes)) : AnyMarker.safeParse(checked);
  if (identified.success) assertFormatVersion(file, 'the store', identified.data.formatVersion);
  const marker = CheckedMarker.safeParse(checked);
  if (!marker.success) throw createDamagedError(file, 0, 'not a valid store marker');
  return marker.data;
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

/** A restore or a copy into the folder has not ended. */
export function createAwaitsContentsError(folder: string): StoreOpenError {
  const message = `${folder} is the target of a restore or a copy that was interrupted. Run \`iam store restore\` or \`iam store copy\` again, or delete the folder.`;
  return new StoreOpenError('not-ours', message, { file: folder });
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
