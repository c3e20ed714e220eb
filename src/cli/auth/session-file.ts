/** Stored logins: one private file of tokens per profile. */
import { rm } from 'node:fs/promises';
import type { Environment } from '../io/io.ts';
import { readFileIfExists, replacePrivateFile } from '../io/private-files.ts';
import { getUserFile } from '../io/user-folders.ts';

export interface StoredSession {
  /** The server of the session; its tokens are sent to no other. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly userName?: string | undefined;
  readonly accessToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly refreshToken?: string | undefined;
  /** A one-time code for the second factor was sent. */
  readonly challenge?: { readonly challengeId: string; readonly contact: string } | undefined;
}

/** A token is not used in its last seconds, because it could expire in transit. */
export const expiryMargin = 30_000;

/** The expiry of a token in epoch milliseconds. Some deployments send `expiresIn` as an epoch second. */
export function computeExpiry(expiresIn: number, now: number): number | undefined {
  if (!Number.isFinite(expiresIn)) return undefined;
  return expiresIn > 1_000_000_000 ? expiresIn * 1000 : now + expiresIn * 1000;
}

type Variables = Environment['variables'];

/** The path of a profile's session file. */
export function getSessionPath(profile: string, variables: Variables): string {
  return getUserFile(variables, 'cache', 'tokens', `profile-${profile}.json`);
}

/** Reads the session of a profile; undefined if it is missing or not valid. */
export async function readSession(profile: string, variables: Variables): Promise<StoredSession | undefined> {
  const text = await readFileIfExists(getSessionPath(profile, variables));
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<StoredSession> | null;
    const isSound = typeof value?.accessToken === 'string' && typeof value.expiresAt === 'number';
    return isSound ? (value as StoredSession) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the session of a profile, replacing the previous one. */
export async function writeSession(profile: string, session: StoredSession, variables: Variables): Promise<void> {
  await replacePrivateFile(getSessionPath(profile, variables), `${JSON.stringify(session)}\n`);
}

export async function deleteSession(profile: string, variables: Variables): Promise<void> {
  await rm(getSessionPath(profile, variables), { force: true });
}

/** Parses the response of a login or a token refresh. */
export function parseSession(
  body: unknown,
  identity: Pick<StoredSession, 'baseUrl' | 'clientId' | 'userName'>,
  now: number,
): StoredSession | undefined {
  const { accessToken, refreshToken, expiresIn } = (body ?? {}) as Record<string, unknown>;
  const expiresAt = computeExpiry(Number(expiresIn), now);
  if (typeof accessToken !== 'string' || expiresAt === undefined) return undefined;
  const renewal = typeof refreshToken === 'string' ? { refreshToken } : {};
  return { ...identity, accessToken, expiresAt, ...renewal };
}
