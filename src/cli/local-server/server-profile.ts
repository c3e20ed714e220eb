/** Names the profile of a local server and stores its URL, credentials and process. */
import path from 'node:path';
import { singleQuote } from '../../lib/shell-variables.ts';
import {
  changeProfiles,
  findProfile,
  isMoved,
  type Profile,
  type ProfileFile,
  type ProfileServer,
  readProfiles,
  saveProfile,
} from '../config/profile.ts';
import { isSameBaseUrl, toReachableUrl } from '../config/server-url.ts';
import type { Environment } from '../io/io.ts';
import { isProcessRunning, type RecordedProcess } from '../io/processes.ts';
import type { ReadyLine } from './launch.ts';
import type { ServerRecord } from './server-records.ts';

type Variables = Environment['variables'];

/** A running server, its process and its store. */
export interface ServedStore extends RecordedProcess, Pick<ServerRecord, 'url' | 'store' | 'data'> {}

/** Returns the profile name of a server. The default store uses `local`, as `npm start` does. */
export function profileNameOf({ name, data }: Pick<ServerRecord, 'name' | 'data'>, defaultFolder: string): string {
  return data === path.resolve(defaultFolder) ? 'local' : `local-${name}`;
}

/**
 * Stores credentials that this start created, or updates the server of a profile that already has them.
 * @returns the profile with the credentials; undefined if they were configured by the operator
 */
export async function saveServerProfile(
  name: string,
  { adminClientId: clientId, adminClientSecret: clientSecret, appClientId: userClientId }: ReadyLine,
  served: ServedStore,
  variables: Variables,
): Promise<string | undefined> {
  const located = { baseUrl: toReachableUrl(served.url), server: toProfileServer(served) };
  if (clientSecret !== undefined) {
    await saveProfile(name, { ...located, clientId, clientSecret, userClientId }, variables);
    return name;
  }
  const existing = findStoreProfile(await readProfiles(variables), name, clientId, served);
  if (existing !== undefined) await relocate(existing, clientId, located, variables);
  return existing;
}

/**
 * Lets the profile of a store follow the server that was started in the foreground, as its credentials are sent only to the
 * recorded process. Another running server of a shared database keeps its profile.
 */
export async function followServer(
  name: string,
  clientId: string,
  served: ServedStore,
  variables: Variables,
): Promise<void> {
  // A profile that cannot be read is not used by commands either.
  const file = await readProfiles(variables).catch(() => ({ profiles: {} }));
  const own = findStoreProfile(file, name, clientId, served) ?? name;
  const { baseUrl = '', server: previous } = findOwnProfile(file, own, clientId) ?? {};
  if (!previous || (await isProcessRunning(previous))) return;
  const server = toProfileServer(served);
  // The user may have set another URL, as that of a proxy.
  await relocate(
    own,
    clientId,
    { baseUrl: isSameBaseUrl(baseUrl, previous.url) ? server.url : baseUrl, server },
    variables,
  );
}

async function relocate(
  name: string,
  clientId: string,
  located: Pick<Profile, 'baseUrl' | 'server'>,
  variables: Variables,
): Promise<void> {
  await changeProfiles(variables, (file) => {
    const profile = findOwnProfile(file, name, clientId);
    return profile ? { ...file, profiles: { ...file.profiles, [name]: { ...profile, ...located } } } : file;
  });
}

/** The process of a server, as its profile records it. */
export function toProfileServer({ url, pid, identity, store, data }: ServedStore): ProfileServer {
  const options = data === undefined ? ` --store ${store}` : ` --data ${singleQuote(data)}`;
  return { url: toReachableUrl(url), pid, identity, options, ...(data === undefined ? {} : { data }) };
}

/** The name of the profile of a store: that of its folder, also after the folder was moved, or of the one it was moved from. */
function findStoreProfile(
  file: ProfileFile,
  name: string,
  clientId: string,
  { data }: Pick<ServedStore, 'data'>,
): string | undefined {
  if (findOwnProfile(file, name, clientId)) return name;
  const servers = Object.keys(file.profiles).flatMap((one) => {
    const server = findOwnProfile(file, one, clientId)?.server;
    return server?.data === undefined ? [] : [{ one, server }];
  });
  const found = servers.find(({ server }) => server.data === data) ?? servers.find(({ server }) => isMoved(server));
  return found?.one;
}

function findOwnProfile(file: ProfileFile, name: string, clientId: string): Profile | undefined {
  const profile = findProfile(file, name);
  return profile?.clientId === clientId && profile.clientSecret !== undefined ? profile : undefined;
}
