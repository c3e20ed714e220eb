/** Names the profile of a background server and stores its URL and credentials. */
import path from 'node:path';
import {
  changeProfiles,
  findProfile,
  type Profile,
  type ProfileFile,
  readProfiles,
  saveProfile,
} from '../config/profile.ts';
import type { Environment } from '../io/io.ts';
import type { ReadyLine } from './launch.ts';
import type { ServerRecord } from './server-records.ts';

type Variables = Environment['variables'];

/** Returns the profile name of a server. The default store uses `local`, as `npm start` does. */
export function profileNameOf({ name, data }: Pick<ServerRecord, 'name' | 'data'>, defaultFolder: string): string {
  return data === path.resolve(defaultFolder) ? 'local' : `local-${name}`;
}

/**
 * Stores credentials that this start created, or updates the base URL of a profile that already has them.
 * @returns whether the profile contains the credentials; false if they were configured by the operator
 */
export async function saveServerProfile(name: string, ready: ReadyLine, variables: Variables): Promise<boolean> {
  const { url: baseUrl, adminClientId: clientId, adminClientSecret: clientSecret, appClientId: userClientId } = ready;
  if (clientSecret !== undefined) {
    await saveProfile(name, { baseUrl, clientId, clientSecret, userClientId }, variables);
    return true;
  }
  const existing = findOwnProfile(await readProfiles(variables), name, clientId);
  if (existing && existing.baseUrl !== baseUrl)
    await changeProfiles(variables, (file) => {
      const profile = findOwnProfile(file, name, clientId);
      return profile ? { ...file, profiles: { ...file.profiles, [name]: { ...profile, baseUrl } } } : file;
    });
  return existing !== undefined;
}

function findOwnProfile(file: ProfileFile, name: string, clientId: string): Profile | undefined {
  const profile = findProfile(file, name);
  return profile?.clientId === clientId && profile.clientSecret !== undefined ? profile : undefined;
}
