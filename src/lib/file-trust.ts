/**
 * Whether files of this machine can be used: their owner is trusted, and no other user can write them, as in safe.directory
 * of git. Command and server share it, so it imports neither.
 */
import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import os from 'node:os';
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
  /** The user's own group: the primary one of the account. The effective one can be that of a team, as after newgrp. */
  readonly gid: number;
  /** All groups of the process. */
  readonly groups: readonly number[];
  /** The user that called sudo. Counts for root only. */
  readonly sudo?: { readonly uid: number; readonly gid: number | undefined } | undefined;
  /** The owner of the working folder. Counts for root only. */
  readonly workingFolderOwner?: number | undefined;
  /** The owner of the mount point of a file, as of a volume. Counts for root, and for secrets: only root mounts. */
  readonly volumeOwner?: number | undefined;
  /** The owner of `/`: in a user namespace, that of root can have another number. Counts for parents only. */
  readonly topOwner?: number | undefined;
}

/** `data`: the folder of a store, which may be a volume that root made for this process. */
export type FileUse = 'settings' | 'data';

/**
 * `secret`: the file of a key or a secret, which may be mounted for this process. `parent`: a folder above a store or a
 * secret, on the file system of `/` or on another one. `settings-parent`: above a folder of the command; only its owner
 * counts, as a home folder can be writable for all in a container.
 */
export type Place = FileUse | 'secret' | 'parent' | 'parent-on-volume' | 'secret-parent-on-volume' | 'settings-parent';

export type Distrust = 'owner' | 'writable';

const root = 0;
const [sticky, groupWrite, othersWrite, fileType, regularFile] = [0o1000, 0o020, 0o002, 0o170000, 0o100000];

/** Why a file must not be used; undefined if it can be. Pure. */
export function findDistrust(file: Ownership, user: MachineUser, place: Place): Distrust | undefined {
  const owners = listTrustedOwners(user, place);
  if (!owners.includes(file.uid) && !isSharedParent(file, user, place)) return 'owner';
  if (place === 'settings-parent') return undefined;
  // Volumes of containers belong to root and are often writable for all: the container has no other users.
  if (file.uid === root && (place === 'data' || place.endsWith('parent-on-volume'))) return undefined;
  return isWritableByOthers(file, user, place, owners) ? 'writable' : undefined;
}

function listTrustedOwners(
  { uid, sudo, workingFolderOwner, volumeOwner, topOwner }: MachineUser,
  place: Place,
): readonly number[] {
  const forRoot = uid === root ? [sudo?.uid, workingFolderOwner, volumeOwner] : [];
  const forSecrets = isOfSecret(place) ? [volumeOwner] : [];
  const forParents = isParent(place) ? [topOwner] : [];
  return [uid, root, ...[...forRoot, ...forSecrets, ...forParents].filter((one) => one !== undefined)];
}

function isParent(place: Place): boolean {
  return place.includes('parent');
}

function isOfSecret(place: Place): boolean {
  return place.startsWith('secret');
}

/** A folder that is shared with a group of the process, as images of containers are for any user id. */
function isSharedParent({ gid, mode }: Ownership, { groups }: MachineUser, place: Place): boolean {
  return isParent(place) && (mode & groupWrite) !== 0 && groups.includes(gid);
}

function isWritableByOthers(file: Ownership, user: MachineUser, place: Place, owners: readonly number[]): boolean {
  const isFolder = (file.mode & fileType) !== regularFile;
  // In a sticky folder such as /tmp, only its owner can replace a file.
  if (isFolder && (file.mode & sticky) !== 0) return false;
  if ((file.mode & othersWrite) !== 0) return true;
  return (file.mode & groupWrite) !== 0 && !isOwnGroup(file.gid, user, place, owners);
}

/** With umask 002, files are writable for the group that only their owner is in. */
function isOwnGroup(gid: number, user: MachineUser, place: Place, owners: readonly number[]): boolean {
  const { uid, groups, sudo } = user;
  if (gid === user.gid || (place !== 'settings' && groups.includes(gid))) return true;
  // A private group has the number of its user.
  return (uid === root && gid === sudo?.gid) || ((uid === root || isOfSecret(place)) && owners.includes(gid));
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The user of this process; undefined on Windows, where files have no such owner. */
export function readMachineUser({ SUDO_UID, SUDO_GID }: Variables, workingFolder = '.'): MachineUser | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  const effective = process.getegid?.() ?? uid;
  let own: number | undefined;
  const user = {
    uid,
    /** Read only if it is needed: it can take a request to a directory. */
    get gid() {
      own ??= readPrimaryGroup() ?? effective;
      return own;
    },
    groups: [effective, ...(process.getgroups?.() ?? [])],
  };
  if (uid !== root) return user;
  const sudoUid = parseId(SUDO_UID);
  return {
    ...user,
    sudo: sudoUid === undefined ? undefined : { uid: sudoUid, gid: parseId(SUDO_GID) },
    workingFolderOwner: unlessUnreadable(() => statSync(workingFolder))?.uid,
  };
}

/** Undefined if the user id has no account, as in containers. */
function readPrimaryGroup(): number | undefined {
  try {
    return os.userInfo().gid;
  } catch {
    return undefined;
  }
}

function parseId(text = ''): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** The variable that lists folders whose owner and permissions are not checked. */
export const trustVariable = 'IAM_TRUST_FOLDERS';

const separator = ',';

/** The folders of the variable, separated by commas. */
export function readTrustedFolders({ [trustVariable]: list = '' }: Variables): readonly string[] {
  return list
    .split(separator)
    .map((folder) => folder.trim())
    .filter((folder) => folder !== '');
}

/** Whether a folder can be listed: a part of its name could be another folder. */
export function canBeListed(folder: string): boolean {
  return !folder.includes(separator);
}

/** The variables with more folders in that variable. */
export function addTrustedFolders(variables: Variables, folders: readonly string[]): Variables {
  if (folders.length === 0) return variables;
  return { ...variables, [trustVariable]: [...readTrustedFolders(variables), ...folders].join(separator) };
}

export interface TrustProblem {
  readonly file: string;
  readonly reason: Distrust;
  readonly ownership: Ownership;
  /** What happened, as a sentence without a period. */
  readonly message: string;
  /** What to do, as sentences without the last period. */
  readonly hint: string;
}

export interface FileTrust {
  /**
   * The first of the files that must not be used, with the owners of the folders above those with settings. Files that do
   * not exist or cannot be examined are skipped.
   */
  findProblem(files: readonly string[], use: FileUse): TrustProblem | undefined;
  /** The same for an open file, as its name can refer to another one by now. */
  findOpenProblem(file: string, opened: Ownership): TrustProblem | undefined;
  /**
   * A folder and files in it, as others may create files in a sticky folder, and the folders above it, in which others
   * could replace it, as with StrictModes of sshd. By default all files in it: each takes a few microseconds.
   */
  findFolderProblem(folder: string, use: FileUse, files?: readonly string[]): TrustProblem | undefined;
  /** The file of a key or a secret, the links that its path leads through, and the folders above it and them. */
  findSecretProblem(file: string): TrustProblem | undefined;
}

/** Who is trusted by the user of this process and by the variables. */
export function readFileTrust(variables: Variables, workingFolder?: string): FileTrust {
  return createFileTrust(readMachineUser(variables, workingFolder), readTrustedFolders(variables));
}

/** @param user undefined if files have no owners @param folders trusted with all files below them, of any owner */
export function createFileTrust(user: MachineUser | undefined, folders: readonly string[]): FileTrust {
  if (user === undefined) {
    const findNone = () => undefined;
    return {
      findProblem: findNone,
      findOpenProblem: findNone,
      findFolderProblem: findNone,
      findSecretProblem: findNone,
    };
  }
  const trusted = folders.map(resolveLinks);
  const isTrusted = (file: string) => trusted.some((folder) => isBelow(resolveLinks(file), folder));
  const find = (files: readonly string[], place: Place, as: MachineUser, folder?: string) => {
    for (const file of files) {
      if (isTrusted(file)) continue;
      for (const [at, ownership] of listOwnerships(file)) {
        const reason = findDistrust(ownership, as, place);
        if (reason !== undefined) return describeProblem(at, { reason, ownership, user, place, folder });
      }
    }
    return undefined;
  };
  return {
    findProblem(files, use) {
      for (const file of files.map((name) => path.resolve(name))) {
        const { parents, volume } = listParents(file);
        const as = addVolume(user, file, volume);
        const problem =
          use === 'data'
            ? find([file], use, as)
            : (find([file], use, user) ?? (isTrusted(file) ? undefined : find(parents, 'settings-parent', as, file)));
        if (problem) return problem;
      }
      return undefined;
    },
    findOpenProblem(file, ownership) {
      const reason = isTrusted(file) ? undefined : findDistrust(ownership, user, 'settings');
      return reason && describeProblem(file, { reason, ownership, user, place: 'settings', folder: undefined });
    },
    findFolderProblem(name, use, named) {
      const folder = path.resolve(name);
      const files = [folder, ...(named ?? listFiles(folder, use))];
      if (isTrusted(folder)) return find(files, use, user, folder);
      const { links, parents, volume } = listParents(folder);
      const as = addVolume(user, folder, volume);
      const above = use === 'settings' ? 'settings-parent' : isOnTop(volume) ? 'parent' : 'parent-on-volume';
      return find([...links, ...files], use, as, folder) ?? find(parents, above, as, folder);
    },
    findSecretProblem(name) {
      const file = path.resolve(name);
      if (isTrusted(file)) return undefined;
      const { links, parents, volume } = listParents(file);
      // The owner of `/` is no owner of a volume: in a user namespace it stands for many users.
      const [above, as] = isOnTop(volume)
        ? (['parent', { ...user, topOwner: addVolume(user, file, volume).topOwner }] as const)
        : (['secret-parent-on-volume', addVolume(user, file, volume)] as const);
      return find([resolveLinks(file)], 'secret', as, file) ?? find([...links, ...parents], above, as, file);
    },
  };
}

/** The user with the owners of the file system of a file. */
function addVolume(user: MachineUser, file: string, volume: string): MachineUser {
  const [topOwner, volumeOwner] = [path.parse(file).root, volume].map(
    (place) => unlessUnreadable(() => statSync(place))?.uid,
  );
  return { ...user, topOwner, volumeOwner };
}

/** The files in a folder. Those of the command have folders, too; a wrong name for a store could be that of a whole disk. */
function listFiles(folder: string, use: FileUse): readonly string[] {
  return listEntries(folder).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return use === 'settings' && entry.isDirectory() ? [file, ...listFiles(file, use)] : [file];
  });
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // It does not exist, or whatever reads it reports why it cannot.
    return [];
  }
}

/** The links that the path of a folder or file leads through, and the folders above it and them, up to a mount point: only root mounts. */
function listParents(folder: string) {
  const links = listLinks(folder);
  const [real = [], ...others] = [resolveLinks(folder), ...links].map((place) => {
    const above = listAbove(place);
    return above.slice(0, above.findIndex(isMountPoint) + 1);
  });
  const parents = [real, ...others].flatMap((places) => places.slice(1, -1));
  return { links, parents, volume: real.at(-1) ?? folder };
}

/** As many links as Linux follows. */
const maxLinks = 40;

/** The links that a path leads through, also those in the targets of links, each in a folder without links. */
function listLinks(place: string, found: readonly string[] = []): readonly string[] {
  const link = listAbove(place).findLast((one) => unlessUnreadable(() => lstatSync(one))?.isSymbolicLink());
  if (link === undefined || found.length === maxLinks) return found;
  const target = path.resolve(path.dirname(link), unlessUnreadable(() => readlinkSync(link)) ?? '');
  return listLinks(path.join(target, path.relative(link, place)), [...found, link]);
}

/** A path and all above it. */
function listAbove(place: string): readonly string[] {
  const above = path.dirname(place);
  return above === place ? [place] : [place, ...listAbove(above)];
}

function isMountPoint(place: string): boolean {
  const [here, above] = [place, path.dirname(place)].map((one) => unlessUnreadable(() => statSync(one))?.dev);
  return isOnTop(place) || (here !== undefined && above !== undefined && here !== above);
}

function isOnTop(mountPoint: string): boolean {
  return mountPoint === path.dirname(mountPoint);
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
  readonly place: Place;
  /** The folder or secret that is examined with what is above it; undefined for a single file. */
  readonly folder: string | undefined;
}

/** Others choose the names of their files. */
function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

function quote(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

function describeProblem(file: string, finding: Finding): TrustProblem {
  const { reason, ownership } = finding;
  const message =
    reason === 'owner'
      ? `${file} belongs to another user (uid ${ownership.uid})`
      : `other users can write ${file} (mode ${(ownership.mode & 0o7777).toString(8)})`;
  const hint = describeCorrection(file, finding);
  return { file, reason, ownership, message: withoutControls(message), hint: withoutControls(hint) };
}

/** To trust or to take over what another user prepared adopts its keys and settings, so it is to be examined first. */
function describeCorrection(file: string, { reason, user, place, folder }: Finding): string {
  const isInFolder = folder !== undefined && isBelow(file, folder);
  const target = folder ?? file;
  const corrected = quote(isInFolder ? target : file);
  const trust = canBeListed(target)
    ? `add --trust-folder ${quote(target)} or list it in ${trustVariable}`
    : 'move it to a path without commas and trust that';
  if (isParent(place)) {
    const correction = reason === 'owner' ? 'use a folder in folders of your own' : `run chmod go-w ${quote(file)}`;
    return `${target} could be replaced there. If you trust its users, ${trust}; otherwise ${correction}`;
  }
  if (reason === 'writable') {
    const recursive = isInFolder && place !== 'secret' ? '-R ' : '';
    return `If you trust its users, ${trust}; otherwise examine it and run chmod ${recursive}go-w ${corrected}`;
  }
  const content = place === 'data' || place === 'secret' ? 'knows its keys and passwords' : 'chose its settings';
  const chown = `chown ${place === 'secret' ? '' : '-R '}${user.uid}:${user.gid} ${corrected}`;
  return `Examine it first, as that user ${content}. Only if you trust it, ${trust}, or take it over with ${chown}`;
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** The path without links. What does not exist is in the folder that does. */
function resolveLinks(file: string): string {
  const real = unlessUnreadable(() => realpathSync(file));
  if (real !== undefined) return real;
  const place = path.resolve(file);
  return isOnTop(place) ? place : path.join(resolveLinks(path.dirname(place)), path.basename(place));
}

function unlessUnreadable<Result extends Stats | string>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    // It does not exist, or it cannot be read later either.
    return undefined;
  }
}
