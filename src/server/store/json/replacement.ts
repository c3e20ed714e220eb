/**
 * A whole state takes the place of what a folder holds. It is written beside it first; with the rename of that file it
 * counts, and the rest can be done any number of times, by the next start if need be. What was there is kept aside.
 */
import { basename } from 'node:path';
import { readCheckpoint } from './checkpoint-adapter.ts';
import { type Disk, replaceFileAtomically, writeAll, writeFile } from './disk.ts';
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
 * Puts the text of a checkpoint in the place of all that the folder holds. To be called under the lock of the folder.
 * @returns the names of the files that were set aside.
 */
export async function replaceStore(disk: Disk, layout: Layout, slices: Iterable<Uint8Array>): Promise<string[]> {
  await finishOrQuarantine(disk, layout);
  const number = nextReplacement(await listNames(disk, layout));
  await prepareMarker(disk, layout, number);
  const replacement = layout.path(replacementName(number));
  const temporary = `${replacement}.tmp`;
  try {
    await writeSlices(disk, temporary, slices);
  } catch (error) {
    await disk.remove(temporary).catch(() => {});
    throw error;
  }
  await disk.rename(temporary, replacement);
  await disk.syncFolder(layout.folder);
  await finishReplacement(disk, layout);
  const aside = setAsideName(number, '');
  return (await listNames(disk, layout)).filter((name) => name.startsWith(aside)).sort();
}

/** Finishes what a crash broke off, if there is anything. @throws StoreOpenError, and then nothing has been changed. */
export async function finishReplacement(disk: Disk, layout: Layout): Promise<void> {
  const names = await listNames(disk, layout);
  const name = names.find((one) => replacementNumber(one) !== undefined);
  if (name === undefined) return;
  const replacement = layout.path(name);
  const [{ sequence, epoch }] = await readCheckpoint(disk, layout, replacement);
  for (const state of names.filter(isStateFile)) {
    const aside = setAsideName(Number(replacementNumber(name)), state);
    // What is aside is what was there; under the old name there is what was begun before the crash.
    if (!names.includes(aside)) await disk.rename(layout.path(state), layout.path(aside));
  }
  await disk.syncFolder(layout.folder);
  await replaceFileAtomically(disk, layout.folder, layout.wal, encodeHeader(sequence + 1, epoch));
  await writeMarker(disk, layout, true);
  await disk.rename(replacement, layout.checkpoint);
  await disk.syncFolder(layout.folder);
}

/** A replacement that was broken off and can't be read any more is in nobody's way. */
async function finishOrQuarantine(disk: Disk, layout: Layout): Promise<void> {
  try {
    await finishReplacement(disk, layout);
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.kind !== 'damaged' || error.file === undefined) throw error;
    const name = basename(error.file);
    await disk.rename(error.file, layout.path(setAsideName(Number(replacementNumber(name)), name)));
  }
}

/** A folder that nothing was written to yet becomes a store with the replacement; a damaged marker is set aside. */
async function prepareMarker(disk: Disk, layout: Layout, number: number): Promise<void> {
  const found = await readMarker(disk, layout).catch((error: unknown) => error);
  if (found === 'none') return writeMarker(disk, layout, false);
  if (!(found instanceof Error)) return;
  if (!(found instanceof StoreOpenError) || found.kind !== 'damaged') throw found;
  const bytes = (await disk.read(layout.marker)) ?? Buffer.alloc(0);
  await writeFile(disk, layout.path(setAsideName(number, 'iam-store.json')), bytes);
  await writeMarker(disk, layout, true);
}

async function writeSlices(disk: Disk, path: string, slices: Iterable<Uint8Array>): Promise<void> {
  const file = await disk.open(path, 'replace');
  try {
    let position = 0;
    for (const slice of slices) {
      await writeAll(file, slice, position);
      position += slice.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function listNames(disk: Disk, layout: Layout): Promise<readonly string[]> {
  return (await disk.list(layout.folder)) ?? [];
}
