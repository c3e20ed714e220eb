/** The user's profiles: one file of named servers and the credentials for each. */
import os from 'node:os';
import path from 'node:path';
import { usageError } from './errors.ts';
import { readFileIfExists, replacePrivateFile, withFileLock } from './private-files.ts';
import { toReachableUrl } from './server-url.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface Profile {
  readonly baseUrl: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The client that users sign in through. */
  readonly userClientId?: string;
  readonly token?: string;
  readonly apiKey?: string;
  /** Who logged in with `iam login`; the tokens are kept apart. Goes before the other credentials. */
  readonly session?: ProfileSession;
  readonly output?: string;
  readonly timeout?: string;
  readonly maxWait?: string;
  /** Everything destructive is confirmed by typing the profile's name. */
  readonly protected?: boolean;
  /** Nothing is written. */
  readonly readOnly?: boolean;
  /** Most changes that one command may make. */
  readonly maxChanges?: number;
  readonly proxy?: string;
  /** Files, by their full paths: commands run anywhere. */
  readonly caFile?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
}

export interface ProfileSession {
  readonly clientId: string;
  /** Absent where the client logged in for itself. */
  readonly userName?: string | undefined;
}

export interface ProfileFile {
  /** Name of the profile that is used where none is named. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The folder of a kind of user files by the XDG rules: `config` or `cache`. */
export function getUserFolder(variables: Variables, kind: 'config' | 'cache'): string {
  const named = variables[kind === 'config' ? 'XDG_CONFIG_HOME' : 'XDG_CACHE_HOME'];
  // A relative one is to be ignored by those rules.
  if (named && path.isAbsolute(named)) return path.join(named, 'iam');
  return path.join(variables.HOME || os.homedir(), kind === 'config' ? '.config' : '.cache', 'iam');
}

/** Where the profiles are kept. */
export function getProfilePath(variables: Variables): string {
  return path.join(getUserFolder(variables, 'config'), 'config.json');
}

/** All profiles; none where there is no file yet. */
export async function readProfiles(variables: Variables): Promise<ProfileFile> {
  const file = getProfilePath(variables);
  const text = await readFileIfExists(file);
  if (text === undefined) return { profiles: {} };
  return parseProfiles(text, file);
}

function parseProfiles(text: string, file: string): ProfileFile {
  const broken = () =>
    usageError(`${file} is not a file of profiles.`, 'Mend it, or move it away and add the profiles again.');
  let value: Partial<ProfileFile> | null;
  try {
    value = JSON.parse(text) as Partial<ProfileFile> | null;
  } catch {
    throw broken();
  }
  const profiles = value?.profiles ?? {};
  const isSound =
    typeof profiles === 'object' && Object.values(profiles).every((profile) => typeof profile?.baseUrl === 'string');
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isSound) throw broken();
  return { ...value, profiles };
}

/** Changes the file of profiles: reads, applies `change` and writes while nobody else does. */
export async function changeProfiles(
  variables: Variables,
  change: (file: ProfileFile) => ProfileFile,
): Promise<ProfileFile> {
  const file = getProfilePath(variables);
  return withFileLock(`${file}.lock`, async () => {
    const changed = change(await readProfiles(variables));
    await replacePrivateFile(file, `${JSON.stringify(changed, null, 2)}\n`);
    return changed;
  });
}

export interface SavedProfile {
  readonly path: string;
  /** Whether commands use it without being told to. */
  readonly current: boolean;
}

/** Adds or replaces a profile; it becomes the current one where there is none. */
export async function saveProfile(name: string, profile: Profile, variables: Variables): Promise<SavedProfile> {
  const saved = await changeProfiles(variables, (file) => ({
    ...file,
    current: file.current && Object.hasOwn(file.profiles, file.current) ? file.current : name,
    profiles: { ...file.profiles, [name]: profile },
  }));
  return { path: getProfilePath(variables), current: saved.current === name };
}

/** Keeps the credentials that a new store was given as the profile `local`. @returns where that is, in words for a person. */
export async function saveLocalProfile(profile: Profile, variables: Variables): Promise<string> {
  const { path, current } = await saveProfile(
    'local',
    { ...profile, baseUrl: toReachableUrl(profile.baseUrl) },
    variables,
  );
  return current ? path : `${path} (another profile is the current one: add --profile local)`;
}
