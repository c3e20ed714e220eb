/**
 * Replaces the whole contents of a store. The new checkpoint is written to a separate file; its rename is the commit. The
 * remaining steps are idempotent, so the next start completes an interrupted replacement. Old files are quarantined.
 */
import { basename } from 'node:path';
import { types } from 'node:util';
import type { Random } from '../../lib/random.ts';
import { createDamagedError, StoreOpenError } from '../open-error.ts';
import { startChain } from './chain.ts';
import { readCheckpoint } from './checkpoint-adapter.ts';
import { type Checkpoint, checkpointSlices } from './checkpoint-format.ts';
import { type Disk, replaceFileAtomically, writeTemporaryFile } from './disk.ts';
import {
  isStateFile,
  type Layout,
  nextReplacement,
  replacementName,
  replacementNumber,
  setAsideName,
} from './layout.ts';
import { assertNothingWritten, type Marker, readMarker, writeMarker } from './marker.ts';
import { encodeHeader } from './wal-record.ts';

/** The folder of a store, and the source of its next id. */
export interface ReplacementDeps {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly random: Random;
}

/**
 * Replaces the contents of a store. The result has a new store id. Requires the lock of the folder.
 * @returns the names of the quarantined files.
 */
export async function replaceStore(deps: ReplacementDeps, contents: Omit<Checkpoint, 'chain'>): Promise<string[]> {
  const { disk, layout, random } = deps;
  await finishOrQuarantine(disk, layout);
  const number = nextReplacement(await listNames(disk, layout));
  const chain = startChain(random);
  await awaitContents(deps, chain.storeId);
  await writeReplacement(disk, layout, layout.path(replacementName(number)), { ...contents, chain });
  await finishReplacement(disk, layout);
  const prefix = setAsideName(number, '');
  return (await listNames(disk, layout)).filter((name) => name.startsWith(prefix)).sort();
}

/**
 * Marks a folder without a store, so that no server starts on it until the contents are there.
 * @returns whether the folder had no marker
 */
export async function awaitContents(
  { disk, layout, random }: ReplacementDeps,
  storeId = startChain(random).storeId,
): Promise<boolean> {
  // A damaged marker is one of a store.
  const marker = await readMarker(disk, layout).catch(() => ({ initialised: true }));
  if (marker?.initialised) return false;
  await assertNothingWritten(disk, layout);
  await writeMarker(disk, layout, { storeId, initialised: false, awaitsContents: true });
  return marker === undefined;
}

/** Its rename is the commit. */
async function writeReplacement(disk: Disk, layout: Layout, file: string, checkpoint: Checkpoint): Promise<void> {
  const temporary = `${file}.tmp`;
  await writeTemporaryFile(disk, temporary, checkpointSlices(checkpoint));
  await disk.rename(temporary, file);
  await disk.syncFolder(layout.folder);
}

/** Completes an interrupted replacement, if any. @throws StoreOpenError; nothing is changed in that case. */
export async function finishReplacement(disk: Disk, layout: Layout): Promise<void> {
  const names = await listNames(disk, layout);
  const name = names.find((one) => replacementNumber(one) !== undefined);
  if (name === undefined) return;
  const replacement = layout.path(name);
  const [{ sequence, epoch, chain }] = await readCheckpoint(disk, layout, replacement);
  if (chain === undefined) throw createDamagedError(replacement, 0, 'it has no store id, as a backup');
  for (const state of names.filter(isStateFile)) {
    const quarantined = setAsideName(Number(replacementNumber(name)), state);
    // If the original is quarantined already, the file under the old name is a partial new one.
    if (!names.includes(quarantined)) await disk.rename(layout.path(state), layout.path(quarantined));
  }
  await setMarkerAside(disk, layout, Number(replacementNumber(name)));
  await disk.syncFolder(layout.folder);
  await replaceFileAtomically(disk, layout.folder, layout.wal, encodeHeader({ first: sequence + 1, epoch, chain }));
  await writeMarker(disk, layout, { storeId: chain.storeId, initialised: true });
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

/** Copies the marker, also a damaged one, as the quarantined files need it: it stays in place until it is replaced. */
async function setMarkerAside(disk: Disk, layout: Layout, number: number): Promise<void> {
  const quarantined = layout.path(setAsideName(number, basename(layout.marker)));
  if ((await disk.read(quarantined)) !== undefined) return;
  const marker = await readMarker(disk, layout).catch((error: unknown) => error);
  if (types.isNativeError(marker) && !(marker instanceof StoreOpenError && marker.kind === 'damaged')) throw marker;
  const bytes = await disk.read(layout.marker);
  const isOfStore = types.isNativeError(marker) || (marker as Marker | undefined)?.initialised;
  if (bytes !== undefined && isOfStore) await replaceFileAtomically(disk, layout.folder, quarantined, bytes);
}

async function listNames(disk: Disk, layout: Layout): Promise<readonly string[]> {
  return (await disk.list(layout.folder)) ?? [];
}
