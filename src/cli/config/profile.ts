/** The profiles of the user: a file of named servers with credentials. */
import { existsSync } from 'node:fs';
import { JsonError, parseJson } from '../../lib/json-text.ts';
import { CliError, usageError } from '../errors.ts';
import { invalidJsonError } from '../io/input.ts';
import { readFileIfExists, replacePrivateFile, withFileLock } from '../io/private-files.ts';
import type { RecordedProcess } from '../io/processes.ts';
import { findUserFile, getUserFile } from '../io/user-folders.ts';
import { toReachableUrl } from './server-url.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface Profile {
  readonly baseUrl: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The client for user logins. */
  readonly userClientId?: string;
  readonly token?: string;
  readonly apiKey?: string;
  /** The login of `iam login`; tokens are stored separately. Takes precedence over the other credentials. */
  readonly session?: ProfileSession;
  readonly output?: string;
  readonly timeout?: string;
  readonly maxWait?: string;
  /** Destructive commands require the name of the profile as confirmation. */
  readonly protected?: boolean;
  /** Rejects every write. */
  readonly readOnly?: boolean;
  readonly maxChanges?: number;
  readonly proxy?: string;
  /** Absolute paths, because commands run in any folder. */
  readonly caFile?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** The server of this machine that the start of a server wrote the profile for. */
  readonly server?: ProfileServer;
}

/** The process that last served the store of a profile, and where. */
export interface ProfileServer extends RecordedProcess {
  readonly url: string;
  /** The options that start it again. */
  readonly options: string;
  /** The folder of its store, if that is in files. */
  readonly data?: string | undefined;
}

/** Whether the folder of its store is no longer where it was. */
export function isMoved({ data }: ProfileServer): boolean {
  return data !== undefined && !existsSync(data);
}

export interface ProfileSession {
  readonly clientId: string;
  /** Absent for a login of the client itself. */
  readonly userName?: string | undefined;
}

export interface ProfileFile {
  /** The name of the default profile. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Why the profiles are not used. */
  readonly warning?: string;
}

const profileFile = 'config.json';

export function getProfilePath(variables: Variables): string {
  return getUserFile(variables, 'config', profileFile);
}

/** The profile of a name that a user typed; undefined if there is none. */
export function findProfile({ profiles }: Pick<ProfileFile, 'profiles'>, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Reads all profiles; empty if the file does not exist or the user has no home folder. */
export async function readProfiles(variables: Variables): Promise<ProfileFile> {
  const file = findUserFile(variables, 'config', [profileFile]);
  const text = file === undefined ? undefined : await readFileIfExists(file);
  if (file === undefined || text === undefined) return { profiles: {} };
  return parseProfiles(text, file);
}

/**
 * Reads all profiles. Those of another user, as with the HOME of root and another user id, are not used, because commands
 * with credentials in the environment need none.
 */
export async function readUsableProfiles(variables: Variables): Promise<ProfileFile> {
  try {
    return await readProfiles(variables);
  } catch (error) {
    const { code } = (error instanceof CliError ? (error.cause ?? {}) : {}) as NodeJS.ErrnoException;
    if (!(error instanceof CliError) || code !== 'EACCES') throw error;
    return { profiles: {}, warning: `${error.message} No profile is used.` };
  }
}

function parseProfiles(text: string, file: string): ProfileFile {
  const hint = 'Repair it, or move it and add the profiles again.';
  let value: Partial<ProfileFile> | null;
  try {
    value = parseJson(text) as Partial<ProfileFile> | null;
  } catch (error) {
    throw error instanceof JsonError ? invalidJsonError(file, error, hint) : error;
  }
  const profiles = value?.profiles ?? {};
  const isSound =
    typeof profiles === 'object' && Object.values(profiles).every((profile) => typeof profile?.baseUrl === 'string');
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isSound)
    throw usageError(`${file} is not a valid profile file.`, hint);
  return { ...value, profiles };
}

/** Updates the profile file under a lock: reads it, applies `change` and writes it. */
export async function changeProfiles(
  variables: Variables,
  change: (file: ProfileFile) => ProfileFile,
): Promise<ProfileFile> {
  const file = getProfilePath(variables);
  return withFileLock(`${file}.lock`, async () => {
    const changed = change(await readProfiles(variables));
    await replacePrivateFile(file, `${JSON.stringify(changed, null, 2)}\n`, true);
    return changed;
  });
}

export interface SavedProfile {
  readonly path: string;
  /** Whether it is the default profile. */
  readonly current: boolean;
}

/** Adds or replaces a profile; it becomes the default if there is none. */
export async function saveProfile(name: string, profile: Profile, variables: Variables): Promise<SavedProfile> {
  const saved = await changeProfiles(variables, (file) => ({
    ...file,
    current: file.current && Object.hasOwn(file.profiles, file.current) ? file.current : name,
    profiles: { ...file.profiles, [name]: profile },
  }));
  return { path: getProfilePath(variables), current: saved.current === name };
}

/** Stores the initial credentials of a new store as the profile `local`. @returns the path of the file, for display */
export async function saveLocalProfile(profile: Profile, variables: Variables): Promise<string> {
  const { path, current } = await saveProfile(
    'local',
    { ...profile, baseUrl: toReachableUrl(profile.baseUrl) },
    variables,
  );
  return current ? path : `${path} (another profile is the current one: add --profile local)`;
}
