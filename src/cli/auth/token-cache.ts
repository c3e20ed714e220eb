/**
 * Caches tokens between runs to save the login request: one private file per server and client. Loaded only where it is
 * used, as node:crypto takes 5 to 8 ms.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { TokenCache } from '../../client/credentials.ts';
import type { Environment } from '../io/io.ts';
import { readFileIfExists, replacePrivateFile } from '../io/private-files.ts';
import { findUserFile } from '../io/user-folders.ts';
import { computeExpiry, expiryMargin } from './session-file.ts';

export interface ClearableTokenCache extends TokenCache {
  clear(): Promise<void>;
}

/** The cache of a user without a home folder. */
const noCache: ClearableTokenCache = {
  clear: async () => undefined,
  read: async () => undefined,
  write: async () => undefined,
};

/** Creates the cache of a server and client. Read and write errors only cost another login. */
export function createTokenCache(
  baseUrl: string,
  { clientId, clientSecret }: { readonly clientId?: string | undefined; readonly clientSecret?: string | undefined },
  { variables, now }: Environment,
): ClearableTokenCache {
  const key = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, clientSecret]))
    .digest('hex')
    .slice(0, 32);
  const file = findUserFile(variables, 'cache', ['tokens', `${key}.json`]);
  if (file === undefined) return noCache;
  return {
    clear: () => rm(file, { force: true }),
    read: async () => {
      const text = await readFileIfExists(file).catch(() => undefined);
      return text === undefined ? undefined : parseFreshToken(text, now());
    },
    write: async ({ accessToken, expiresIn }) => {
      const expiresAt = computeExpiry(Number(expiresIn), now());
      if (expiresAt !== undefined)
        await replacePrivateFile(file, JSON.stringify({ accessToken, expiresAt })).catch(() => undefined);
    },
  };
}

function parseFreshToken(text: string, now: number): string | undefined {
  try {
    const { accessToken, expiresAt } = JSON.parse(text) as Record<string, unknown>;
    const isFresh = typeof expiresAt === 'number' && expiresAt - expiryMargin > now;
    return isFresh && typeof accessToken === 'string' ? accessToken : undefined;
  } catch {
    return undefined;
  }
}
