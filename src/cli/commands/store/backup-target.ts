/** Resolves the file of `iam store backup --to`. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { BackupTarget } from '../../../server/store/maintenance/offline-store.ts';
import { type CliError, usageError } from '../../errors.ts';
import { uncreatableFileError } from '../../io/file-errors.ts';

/**
 * Resolves a path to the file of a new backup: an existing folder, or a path that ends with a slash, gets a file that is
 * named by the time. Writes nothing, so that it can run before the backup is requested.
 * @throws CliError if the file exists and may not be replaced, or cannot be created
 */
export async function resolveBackupTarget(to: string, time: number, replace: boolean): Promise<BackupTarget> {
  if (to === '-')
    throw usageError(
      '--to - is not supported: a backup is verified before it is complete, and standard output cannot be. Nothing was written.',
      'Name a file or a folder; for a file with the name -, use --to ./-',
    );
  const target = path.resolve(to);
  const kind = await readKind(target);
  const endsWithSlash = /[/\\]$/.test(to);
  if (endsWithSlash && kind === 'file') throw usageError(`--to ${to} is a file, not a folder. Nothing was written.`);
  if (!endsWithSlash && kind !== 'folder') return assertReplaceable({ file: target, replace }, kind);
  const file = path.join(target, formatBackupName(time));
  if (kind === 'missing') return { file, newFolder: target, replace };
  return assertReplaceable({ file, replace }, await readKind(file));
}

async function assertReplaceable(target: BackupTarget, kind: PathKind): Promise<BackupTarget> {
  const { file, replace } = target;
  if (kind === 'folder') throw usageError(`${file} is a folder, not a file. Nothing was written.`);
  if (kind === 'file' && !replace) throw backupExistsError(file);
  if (kind === 'missing' && (await readKind(path.dirname(file))) === 'missing')
    throw usageError(
      `The folder ${path.dirname(file)} does not exist. Nothing was written.`,
      'Create it, or end --to with / to create a folder for backups that are named by time.',
    );
  return target;
}

type PathKind = 'file' | 'folder' | 'missing';

async function readKind(target: string): Promise<PathKind> {
  try {
    return (await stat(target)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw uncreatableFileError(target, error);
  }
}

/** The time in UTC without separators, so that names sort by age: `iam-20261122T231500Z.json`. */
function formatBackupName(time: number): string {
  return `iam-${new Date(time).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.json`;
}

/** The file exists, and --force was not passed (exit 2). */
export function backupExistsError(file: string): CliError {
  return usageError(
    `${file} already exists. Nothing was written.`,
    'Name another file or a folder with --to, or replace the file with --force.',
  );
}
