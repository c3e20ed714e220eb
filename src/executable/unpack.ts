/**
 * Unpacks the program of an executable into a folder of the user: Node loads native code and modules from files only. A
 * folder belongs to one build, so several versions do not disturb each other.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The files of a program: their contents follow each other in `contents`. */
export interface ProgramArchive {
  /** Digest of the contents: names the folder. */
  readonly id: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly contents: Uint8Array;
}

/** The program cannot be unpacked. The message is one line and contains the next step. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError';
}

/**
 * Unpacks the program unless an earlier run did.
 * @returns its folder, below `base`
 * @throws UnpackError if `base` cannot be written, or if another user can write it and so replace the program
 */
export function unpackProgram(archive: ProgramArchive, base: string): string {
  const folder = path.join(base, `program-${archive.id}`);
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    assertPrivate(base);
    if (!isComplete(archive, folder)) replaceFolder(archive, base, folder);
    return folder;
  } catch (error) {
    if (error instanceof UnpackError) throw error;
    throw new UnpackError(
      `cannot unpack the program into ${folder}: ${(error as Error).message}. Set XDG_CACHE_HOME to a folder that you can write`,
      { cause: error },
    );
  }
}

function assertPrivate(base: string): void {
  const userId = process.getuid?.();
  if (userId === undefined) return;
  const { uid, mode } = statSync(base);
  if (uid !== userId)
    throw new UnpackError(
      `${base} belongs to another user, who can replace the program. Set XDG_CACHE_HOME to a folder of your own; with sudo, use the option -H`,
    );
  if ((mode & 0o022) !== 0)
    throw new UnpackError(
      `others can replace the program in ${base}. Remove their permission (chmod go-w), or set XDG_CACHE_HOME to another folder`,
    );
}

/** Compares sizes: a power loss soon after unpacking can leave files without their contents. */
function isComplete({ files }: ProgramArchive, folder: string): boolean {
  return files.every(
    ({ path: file, bytes }) => statSync(path.join(folder, file), { throwIfNoEntry: false })?.size === bytes,
  );
}

/** Unpacks beside the folder and renames, so that other processes see all of it or nothing. */
function replaceFolder(archive: ProgramArchive, base: string, folder: string): void {
  const temporary = mkdtempSync(path.join(base, '.program-'));
  try {
    writeProgram(archive, temporary);
    // An incomplete folder is of no use to anybody.
    if (!isComplete(archive, folder)) rmSync(folder, { recursive: true, force: true });
    renameUnlessComplete(archive, temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Another process may have unpacked it meanwhile. */
function renameUnlessComplete(archive: ProgramArchive, temporary: string, folder: string): void {
  try {
    renameSync(temporary, folder);
  } catch (error) {
    if (!isComplete(archive, folder)) throw error;
  }
}

function writeProgram({ files, contents }: ProgramArchive, folder: string): void {
  const folders = new Set(files.map(({ path: file }) => path.dirname(path.join(folder, file))));
  for (const one of folders) mkdirSync(one, { recursive: true });
  let at = 0;
  for (const { path: file, bytes } of files) {
    writeFileSync(path.join(folder, file), contents.subarray(at, at + bytes));
    at += bytes;
  }
}
