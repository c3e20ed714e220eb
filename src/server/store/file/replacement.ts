/**
 * Replaces the whole contents of a store. The new checkpoint is written to a separate file; its rename is the commit. The
 * remaining steps are idempotent, so the next start completes an interrupted replacement. Old files are quarantined.
 */
import { basename } from 'node:path';
import { readCheckpoint } from './checkpoint-adapter.ts';
import { type Disk, replaceFileAtomically, writeFile, writeTemporaryFile } from './disk.ts';
import {
  isStateFile,
  type Layout,
  nextReplacement,
  replacementName,
  replacementNumber,
  setAsideName,
} from './layout.ts';
import { readMarker, writeMarker } from './marker.ts';
import { StoreOpenError } from './open-error.ts';
import { encodeHeader } from './wal-record.ts';

/**
 * Replaces the contents of a store with a checkpoint. Requires the lock of the folder.
 * @returns the names of the quarantined files.
 */
export async function replaceStore(disk: Disk, layout: Layout, slices: Iterable<Uint8Array>): Promise<string[]> {
  await finishOrQuarantine(disk, layout);
  const number = nextReplacement(await listNames(disk, layout));
  await prepareMarker(disk, layout, number);
  const replacement = layout.path(replacementName(number));
  const temporary = `${replacement}.tmp`;
  await writeTemporaryFile(disk, temporary, slices);
  await disk.rename(temporary, replacement);
  await disk.syncFolder(layout.folder);
  await finishReplacement(disk, layout);
  const prefix = setAsideName(number, '');
  return (await listNames(disk, layout)).filter((name) => name.startsWith(prefix)).sort();
}

/** Completes an interrupted replacement, if any. @throws StoreOpenError; nothing is changed in that case. */
export async function finishReplacement(disk: Disk, layout: Layout): Promise<void> {
  const names = await listNames(disk, layout);
  const name = names.find((one) => replacementNumber(one) !== undefined);
  if (name === undefined) return;
  const replacement = layout.path(name);
  const [{ sequence, epoch }] = await readCheckpoint(disk, layout, replacement);
  for (const state of names.filter(isStateFile)) {
    const quarantined = setAsideName(Number(replacementNumber(name)), state);
    // If the original is quarantined already, the file under the old name is a partial new one.
    if (!names.includes(quarantined)) await disk.rename(layout.path(state), layout.path(quarantined));
  }
  await disk.syncFolder(layout.folder);
  await replaceFileAtomically(disk, layout.folder, layout.wal, encodeHeader(sequence + 1, epoch));
  await writeMarker(disk, layout, true);
  await disk.rename(replacement, layout.checkpoint);
  await disk.syncFolder(layout.folder);
}

/** Completes an interrupted replacement, or quarantines it if it is damaged. */
async function finishOrQuarantine(disk: Disk, layout: Layout): Promise<void> {
  try {
    await finishReplacement(disk, layout);
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.kind !== 'damaged' || error.file === undefined) throw error;
    const name = basename(error.file);
    await disk.rename(error.file, layout.path(setAsideName(Number(replacementNumber(name)), name)));
  }
}

/** Writes the marker of a new store; quarantines a damaged marker. */
async function prepareMarker(disk: Disk, layout: Layout, number: number): Promise<void> {
  const marker = await readMarker(disk, layout).catch((error: unknown) => error);
  if (marker === 'none') return writeMarker(disk, layout, false);
  if (!(marker instanceof Error)) return;
  if (!(marker instanceof StoreOpenError) || marker.kind !== 'damaged') throw marker;
  const bytes = (await disk.read(layout.marker)) ?? Buffer.alloc(0);
  await writeFile(disk, layout.path(setAsideName(number, 'iam-store.json')), bytes);
  await writeMarker(disk, layout, true);
}

async function listNames(disk: Disk, layout: Layout): Promise<readonly string[]> {
  return (await disk.list(layout.folder)) ?? [];
}
