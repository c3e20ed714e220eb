/** The credentials that a server in the background was started with, as a profile that commands find them in. */
import path from 'node:path';
import type { Environment } from '../../runtime/io.ts';
import { changeProfiles, type Profile, readProfiles, saveProfile } from '../../runtime/profile.ts';
import type { ReadyLine } from './launch.ts';
import { serverNameOf } from './server-records.ts';

type Variables = Environment['variables'];

/** What the profile of a server is called; the store everybody has is `local`, as `npm start` calls it. */
export function profileNameOf(data: string | undefined, usual: string): string {
  return data === path.resolve(usual) ? 'local' : `local-${serverNameOf(data)}`;
}

/**
 * Keeps credentials that this start made, or tells a profile that has them where its server is now.
 * @returns whether the profile has them; credentials of somebody else's making are in his keeping.
 */
export async function saveServerProfile(name: string, ready: ReadyLine, variables: Variables): Promise<boolean> {
  const { url: baseUrl, adminClientId: clientId, adminClientSecret: clientSecret, appClientId: userClientId } = ready;
  if (clientSecret !== undefined) {
    await saveProfile(name, { baseUrl, clientId, clientSecret, userClientId }, variables);
    return true;
  }
  const known = findOwnProfile((await readProfiles(variables)).profiles, name, clientId);
  if (known && known.baseUrl !== baseUrl)
    await changeProfiles(variables, (file) => {
      const profile = findOwnProfile(file.profiles, name, clientId);
      return profile ? { ...file, profiles: { ...file.profiles, [name]: { ...profile, baseUrl } } } : file;
    });
  return known !== undefined;
}

function findOwnProfile(
  profiles: Readonly<Record<string, Profile>>,
  name: string,
  clientId: string,
): Profile | undefined {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  return profile?.clientId === clientId && profile.clientSecret !== undefined ? profile : undefined;
}
