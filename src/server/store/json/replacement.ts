/**
 * A whole state takes the place of what a folder holds. It is written beside it first; with the rename of that file it
 * counts, and the rest can be done any number of times, by the next start if need be. What was there is kept aside.
 */
import { basename } from 'node:path';
import { readCheckpoint } from './checkpoint-adapter.ts';
import { type Disk, replaceFile, writeFile, writeFully } from './disk.ts';
import { asideName, isStateFile, type Layout, nextReplacement, replacementName, replacementNumber } from './layout.ts';
import { readMarker, writeMarker } from './marker.ts';
import { StoreOpenError } from './open-error.ts';
import { encodeHead } from './record.ts';

/**
 * Puts the text of a checkpoint in the place of all that the folder holds. To be called under the lock of the folder.
 * @returns the names of the files that were set aside.
 */
export async function replaceState(disk: Disk, layout: Layout, slices: Iterable<Uint8Array>): Promise<string[]> {
  await finishOrSetAside(disk, layout);
  const number = nextReplacement(await namesIn(disk, layout));
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
  const aside = asideName(number, '');
  return (await namesIn(disk, layout)).filter((name) => name.startsWith(aside)).sort();
}

/** Finishes what a crash broke off, if there is anything. @throws StoreOpenError, and then nothing has been changed. */
export async function finishReplacement(disk: Disk, layout: Layout): Promise<void> {
  const names = await namesIn(disk, layout);
  const name = names.find((one) => replacementNumber(one) !== undefined);
  if (name === undefined) return;
  const replacement = layout.path(name);
  const [{ sequence, epoch }] = await readCheckpoint(disk, layout, replacement);
  for (const state of names.filter(isStateFile)) {
    const aside = asideName(Number(replacementNumber(name)), state);
    // What is aside is what was there; under the old name there is what was begun before the crash.
    if (!names.includes(aside)) await disk.rename(layout.path(state), layout.path(aside));
  }
  await disk.syncFolder(layout.folder);
  await replaceFile(disk, layout.folder, layout.journal, encodeHead(sequence + 1, epoch));
  await writeMarker(disk, layout, true);
  await disk.rename(replacement, layout.checkpoint);
  await disk.syncFolder(layout.folder);
}

/** A replacement that was broken off and can't be read any more is in nobody's way. */
async function finishOrSetAside(disk: Disk, layout: Layout): Promise<void> {
  try {
    await finishReplacement(disk, layout);
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.kind !== 'damaged' || error.file === undefined) throw error;
    const name = basename(error.file);
    await disk.rename(error.file, layout.path(asideName(Number(replacementNumber(name)), name)));
  }
}

/** A folder that nothing was written to yet becomes a store with the replacement; a damaged marker is set aside. */
async function prepareMarker(disk: Disk, layout: Layout, number: number): Promise<void> {
  const found = await readMarker(disk, layout).catch((error: unknown) => error);
  if (found === 'none') return writeMarker(disk, layout, false);
  if (!(found instanceof Error)) return;
  if (!(found instanceof StoreOpenError) || found.kind !== 'damaged') throw found;
  const bytes = (await disk.read(layout.marker)) ?? Buffer.alloc(0);
  await writeFile(disk, layout.path(asideName(number, 'iam-store.json')), bytes);
  await writeMarker(disk, layout, true);
}

async function writeSlices(disk: Disk, path: string, slices: Iterable<Uint8Array>): Promise<void> {
  const file = await disk.open(path, 'replace');
  try {
    let position = 0;
    for (const slice of slices) {
      await writeFully(file, slice, position);
      position += slice.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function namesIn(disk: Disk, layout: Layout): Promise<readonly string[]> {
  return (await disk.list(layout.folder)) ?? [];
}
