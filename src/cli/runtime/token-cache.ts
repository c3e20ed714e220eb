/** Tokens between runs, so that a command is one call and not two. Private files, one for each server and client. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { TokenCache } from '../../client/credentials.ts';
import { readIfThere, replaceFile } from './files.ts';
import type { Environment } from './io.ts';
import { userFolder } from './profile.ts';
import { expiryMargin, expiryOf } from './session-file.ts';

export interface ForgetfulCache extends TokenCache {
  forget(): Promise<void>;
}

/** The cache for one server and client. What can't be read or written costs a login and nothing else. */
export function tokenCache(
  baseUrl: string,
  { clientId, clientSecret }: { readonly clientId?: string | undefined; readonly clientSecret?: string | undefined },
  { variables, now }: Environment,
): ForgetfulCache {
  const key = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, clientSecret]))
    .digest('hex')
    .slice(0, 32);
  const file = path.join(userFolder(variables, 'cache'), 'tokens', `${key}.json`);
  return {
    forget: () => rm(file, { force: true }),
    read: async () => {
      const text = await readIfThere(file).catch(() => undefined);
      return text === undefined ? undefined : usable(text, now());
    },
    write: async ({ accessToken, expiresIn }) => {
      const expiresAt = expiryOf(Number(expiresIn), now());
      if (expiresAt !== undefined)
        await replaceFile(file, JSON.stringify({ accessToken, expiresAt })).catch(() => undefined);
    },
  };
}

function usable(text: string, now: number): string | undefined {
  try {
    const { accessToken, expiresAt } = JSON.parse(text) as Record<string, unknown>;
    const isFresh = typeof expiresAt === 'number' && expiresAt - expiryMargin > now;
    return isFresh && typeof accessToken === 'string' ? accessToken : undefined;
  } catch {
    return undefined;
  }
}
