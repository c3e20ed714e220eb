/**
 * The folders of the user's files: those of XDG Base Directory, and on Windows those of its known folders. What they
 * contain decides where credentials go and which processes are stopped, so folders of other users are refused.
 */
import os from 'node:os';
import path from 'node:path';
import { readFileTrust, type TrustProblem } from '../../lib/file-trust.ts';
import { CliError } from '../errors.ts';
import type { Environment } from './io.ts';

type Variables = Environment['variables'];

/** The variable of each kind of folder, its default below the home folder, and where Windows has such files. */
const folders = {
  config: { variable: 'XDG_CONFIG_HOME', fallback: '.config', onWindows: ['APPDATA', 'iam'] },
  cache: { variable: 'XDG_CACHE_HOME', fallback: '.cache', onWindows: ['LOCALAPPDATA', 'iam/cache'] },
  state: { variable: 'XDG_STATE_HOME', fallback: '.local/state', onWindows: ['LOCALAPPDATA', 'iam/state'] },
} as const;

export type UserFolderKind = keyof typeof folders;

/**
 * The folder of one kind; undefined without a home folder, as for a user id of a container that has no account.
 * @throws CliError (exit 2) if it belongs to another user or others can write it
 */
export function findUserFolder(
  variables: Variables,
  kind: UserFolderKind,
  platform?: NodeJS.Platform,
): string | undefined {
  return findUserFile(variables, kind, [], platform);
}

/**
 * A file in the folder of one kind, or below it; undefined without a home folder.
 * @throws CliError (exit 2) if it or a folder of its path belongs to another user, or others can write it
 */
export function findUserFile(
  variables: Variables,
  kind: UserFolderKind,
  names: readonly string[],
  platform?: NodeJS.Platform,
): string | undefined {
  const folder = locateFolder(variables, kind, platform);
  if (folder === undefined) return undefined;
  const files = names.map((_, at) => path.join(folder, ...names.slice(0, at + 1)));
  const problem = readFileTrust(variables).findFolderProblem(folder, 'settings', files);
  if (problem) throw distrustError(problem);
  return files.at(-1) ?? folder;
}

/** Why a folder or any file in it must not be used; undefined if all can be. */
export function findUserFolderProblem(variables: Variables, kind: UserFolderKind): TrustProblem | undefined {
  const folder = locateFolder(variables, kind);
  return folder === undefined ? undefined : readFileTrust(variables).findFolderProblem(folder, 'settings');
}

/** A file or folder must not be used (exit 2). */
export function distrustError({ message, hint }: TrustProblem): CliError {
  return new CliError(`${message}; it is not used.`, { code: 'FOLDER_NOT_TRUSTED', exitCode: 2, hint: `${hint}.` });
}

function locateFolder(
  variables: Variables,
  kind: UserFolderKind,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { variable, fallback, onWindows } = folders[kind];
  const named = variables[variable];
  // The specification ignores relative paths.
  if (named && path.isAbsolute(named)) return path.join(named, 'iam');
  const [knownFolder, own] = onWindows;
  const known = platform === 'win32' ? variables[knownFolder] : undefined;
  if (known) return path.join(known, own);
  const home = variables.HOME || findHome();
  return home === undefined ? undefined : path.join(home, fallback, 'iam');
}

/** A file as `findUserFile` finds it, or the folder itself. @throws CliError (exit 2) also without a home folder */
export function getUserFile(variables: Variables, kind: UserFolderKind, ...names: readonly string[]): string {
  const file = findUserFile(variables, kind, names);
  if (file !== undefined) return file;
  throw new CliError('This user has no home folder, so nothing can be stored.', {
    code: 'NO_HOME',
    exitCode: 2,
    hint: `Set HOME or ${folders[kind].variable} to a folder that you can write. Commands with credentials in the environment (IAM_BASE_URL, IAM_CLIENT_ID, IAM_CLIENT_SECRET) store nothing.`,
  });
}

function findHome(): string | undefined {
  try {
    return os.homedir();
  } catch {
    // The user id has no account.
    return undefined;
  }
}
