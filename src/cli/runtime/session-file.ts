/** What a login leaves between runs: one private file of tokens for each profile. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from './io.ts';
import { readFileIfExists, replacePrivateFile } from './private-files.ts';
import { getUserFolder } from './profile.ts';

export interface StoredSession {
  /** The server that it is with; its tokens go to no other. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly userName?: string | undefined;
  readonly accessToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly refreshToken?: string | undefined;
  /** A code for a second proof is on its way. */
  readonly challenge?: { readonly challengeId: string; readonly contact: string } | undefined;
}

/** A token is not used in its last seconds: it could end on the way. */
export const expiryMargin = 30_000;

/** When a token ends. Some deployments send the epoch second of the end instead of the seconds that are left. */
export function computeExpiry(expiresIn: number, now: number): number | undefined {
  if (!Number.isFinite(expiresIn)) return undefined;
  return expiresIn > 1_000_000_000 ? expiresIn * 1000 : now + expiresIn * 1000;
}

type Variables = Environment['variables'];

/** Where the session of a profile is kept. */
export function getSessionPath(profile: string, variables: Variables): string {
  return path.join(getUserFolder(variables, 'cache'), 'tokens', `profile-${profile}.json`);
}

/** The session of a profile, where there is one that can be read. */
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

/** Keeps a session in the place of the one before. */
export async function writeSession(profile: string, session: StoredSession, variables: Variables): Promise<void> {
  await replacePrivateFile(getSessionPath(profile, variables), `${JSON.stringify(session)}\n`);
}

/** Forgets the session of a profile. */
export async function deleteSession(profile: string, variables: Variables): Promise<void> {
  await rm(getSessionPath(profile, variables), { force: true });
}

/** A session from the answer of a login or a renewal. */
export function parseSession(
  answer: unknown,
  identity: Pick<StoredSession, 'baseUrl' | 'clientId' | 'userName'>,
  now: number,
): StoredSession | undefined {
  const { accessToken, refreshToken, expiresIn } = (answer ?? {}) as Record<string, unknown>;
  const expiresAt = computeExpiry(Number(expiresIn), now);
  if (typeof accessToken !== 'string' || expiresAt === undefined) return undefined;
  const renewal = typeof refreshToken === 'string' ? { refreshToken } : {};
  return { ...identity, accessToken, expiresAt, ...renewal };
}
