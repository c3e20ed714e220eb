/**
 * Whether files of this machine can be used: their owner is trusted, and no other user can write them, as in safe.directory
 * of git. Command and server share it, so it imports neither.
 */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';

export interface Ownership {
  readonly uid: number;
  readonly gid: number;
  /** As in stat(2): permissions, and the type of the file. */
  readonly mode: number;
}

/** The user of this process. */
export interface MachineUser {
  readonly uid: number;
  /** The user's own group. */
  readonly gid: number;
  /** All groups of the process. */
  readonly groups: readonly number[];
  /** The user that called sudo. Counts for root only. */
  readonly sudo?: { readonly uid: number; readonly gid: number | undefined } | undefined;
  /** The owner of the working folder. Counts for root only. */
  readonly workingFolderOwner?: number | undefined;
}

/** `data`: the folder of a store, which may be a volume that root made for this process. */
export type FileUse = 'settings' | 'data';

export type Distrust = 'owner' | 'writable';

const root = 0;
const [sticky, groupWrite, othersWrite, fileType, regularFile] = [0o1000, 0o020, 0o002, 0o170000, 0o100000];

/** Why a file must not be used; undefined if it can be. Pure. */
export function findDistrust(file: Ownership, user: MachineUser, use: FileUse): Distrust | undefined {
  const owners = listTrustedOwners(user);
  if (!owners.includes(file.uid)) return 'owner';
  // Volumes of containers belong to root and are often writable for all: the container has no other users.
  if (use === 'data' && file.uid === root) return undefined;
  return isWritableByOthers(file, user, use, owners) ? 'writable' : undefined;
}

function listTrustedOwners({ uid, sudo, workingFolderOwner }: MachineUser): readonly number[] {
  const forRoot = uid === root ? [sudo?.uid, workingFolderOwner] : [];
  return [uid, root, ...forRoot.filter((one) => one !== undefined)];
}

function isWritableByOthers(file: Ownership, user: MachineUser, use: FileUse, owners: readonly number[]): boolean {
  const isFolder = (file.mode & fileType) !== regularFile;
  // In a sticky folder such as /tmp, only its owner can replace a file.
  if (isFolder && (file.mode & sticky) !== 0) return false;
  if ((file.mode & othersWrite) !== 0) return true;
  return (file.mode & groupWrite) !== 0 && !isOwnGroup(file.gid, user, use, owners);
}

/** With umask 002, files are writable for the group that only their owner is in. */
function isOwnGroup(
  gid: number,
  { uid, gid: own, groups, sudo }: MachineUser,
  use: FileUse,
  owners: readonly number[],
) {
  if (gid === own || (use === 'data' && groups.includes(gid))) return true;
  // A private group has the number of its user.
  return uid === root && (gid === sudo?.gid || owners.includes(gid));
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The user of this process; undefined on Windows, where files have no such owner. */
export function readMachineUser({ SUDO_UID, SUDO_GID }: Variables, workingFolder = '.'): MachineUser | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  const user = { uid, gid: process.getegid?.() ?? uid, groups: process.getgroups?.() ?? [] };
  if (uid !== root) return user;
  const sudoUid = parseId(SUDO_UID);
  return {
    ...user,
    sudo: sudoUid === undefined ? undefined : { uid: sudoUid, gid: parseId(SUDO_GID) },
    workingFolderOwner: unlessUnreadable(() => statSync(workingFolder))?.uid,
  };
}

function parseId(text = ''): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** The variable that lists folders whose owner and permissions are not checked. */
export const trustVariable = 'IAM_TRUST_FOLDERS';

/** The folders of the variable, separated by commas. */
export function readTrustedFolders({ [trustVariable]: list = '' }: Variables): readonly string[] {
  return list
    .split(',')
    .map((folder) => folder.trim())
    .filter((folder) => folder !== '');
}

export interface TrustProblem {
  readonly file: string;
  readonly reason: Distrust;
  readonly ownership: Ownership;
  /** What happened, as a sentence without a period. */
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

export interface FileTrust {
  /**
   * The first of the files that must not be used. Files that do not exist or cannot be examined are skipped.
   * @param target what the hint names to trust or to correct; by default that file
   */
  findProblem(files: readonly string[], use: FileUse, target?: string): TrustProblem | undefined;
}

/** @param user undefined if files have no owners @param folders trusted with all files below them, of any owner */
export function createFileTrust(user: MachineUser | undefined, folders: readonly string[]): FileTrust {
  if (user === undefined) return { findProblem: () => undefined };
  const trusted = folders.map(resolveLinks);
  const isTrusted = (file: string) => trusted.some((folder) => isBelow(resolveLinks(file), folder));
  return {
    findProblem(files, use, target) {
      for (const file of files.map((one) => path.resolve(one))) {
        if (isTrusted(file)) continue;
        for (const [place, ownership] of listOwnerships(file)) {
          const reason = findDistrust(ownership, user, use);
          if (reason !== undefined) return describeProblem(place, { reason, ownership, user, target });
        }
      }
      return undefined;
    },
  };
}

/** A file; for a symbolic link its owner, its target and the folder of the target. */
function listOwnerships(file: string): (readonly [string, Ownership])[] {
  const found = unlessUnreadable(() => lstatSync(file));
  if (found === undefined) return [];
  if (!found.isSymbolicLink()) return [[file, found]];
  const target = resolveLinks(file);
  const others = [target, path.dirname(target)].flatMap((place) => {
    const stats = unlessUnreadable(() => statSync(place));
    return stats === undefined ? [] : [[place, stats] as const];
  });
  // The permissions of a link have no meaning.
  return [[file, { uid: found.uid, gid: found.gid, mode: 0 }], ...others];
}

interface Finding {
  readonly reason: Distrust;
  readonly ownership: Ownership;
  readonly user: MachineUser;
  readonly target: string | undefined;
}

/** Others choose the names of their files. */
function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

function describeProblem(file: string, { reason, ownership, user, target = file }: Finding): TrustProblem {
  const { uid, mode } = ownership;
  const quoted = /^[\w./-]+$/.test(target) ? target : `'${target.replaceAll("'", "'\\''")}'`;
  const correction = reason === 'owner' ? `chown -R ${user.uid}:${user.gid} ${quoted}` : `chmod go-w ${quoted}`;
  return {
    file,
    reason,
    ownership,
    message: withoutControls(
      reason === 'owner'
        ? `${file} belongs to another user (uid ${uid})`
        : `other users can write ${file} (mode ${(mode & 0o7777).toString(8)})`,
    ),
    hint: withoutControls(
      `If you trust its users, add --trust-folder ${quoted} or list it in ${trustVariable}; otherwise correct it with ${correction}`,
    ),
  };
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

function resolveLinks(file: string): string {
  return unlessUnreadable(() => realpathSync(file)) ?? path.resolve(file);
}

function unlessUnreadable<Result extends Stats | string>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    // It does not exist, or it cannot be read later either.
    return undefined;
  }
}
