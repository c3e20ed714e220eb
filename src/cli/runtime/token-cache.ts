/** Tokens between runs, so that a command is one call and not two. Private files, one for each server and client. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { TokenCache } from '../../client/credentials.ts';
import { readIfThere, replaceFile } from './files.ts';
import type { Environment } from './io.ts';
import { userFolder } from './profile.ts';
import type { SignIn } from './settings.ts';

/** A token is not used in its last seconds: it could end on the way. */
const margin = 30_000;

/** The cache for one server and client. What can't be read or written costs a login and nothing else. */
export function tokenCache(
  baseUrl: string,
  { clientId, clientSecret }: SignIn,
  { variables, now }: Environment,
): TokenCache {
  const key = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, clientSecret]))
    .digest('hex')
    .slice(0, 32);
  const file = path.join(userFolder(variables, 'cache'), 'tokens', `${key}.json`);
  return {
    read: async () => {
      const text = await readIfThere(file).catch(() => undefined);
      return text === undefined ? undefined : usable(text, now());
    },
    write: async ({ accessToken, expiresIn }) => {
      const expiresAt = expiry(Number(expiresIn), now());
      if (expiresAt !== undefined)
        await replaceFile(file, JSON.stringify({ accessToken, expiresAt })).catch(() => undefined);
    },
  };
}

/** Some deployments send the epoch second of the end instead of the seconds that are left. */
function expiry(expiresIn: number, now: number): number | undefined {
  if (!Number.isFinite(expiresIn)) return undefined;
  return expiresIn > 1_000_000_000 ? expiresIn * 1000 : now + expiresIn * 1000;
}

function usable(text: string, now: number): string | undefined {
  try {
    const { accessToken, expiresAt } = JSON.parse(text) as Record<string, unknown>;
    const isFresh = typeof expiresAt === 'number' && expiresAt - margin > now;
    return isFresh && typeof accessToken === 'string' ? accessToken : undefined;
  } catch {
    return undefined;
  }
}
