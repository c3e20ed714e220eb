/** Remembers the test tokens that the server issued, to mark their requests in the request log. */
import { createHash } from 'node:crypto';

/** Tokens that are remembered. */
const maxTokens = 10_000;

export interface TestTokens {
  /** @param difference how it differs from a normal token */
  add(token: string, difference: string): void;
  /** How the token in an Authorization header differs; undefined if it is not a test token. */
  find(authorization: string | undefined): string | undefined;
  clear(): void;
}

export function createTestTokens(): TestTokens {
  const differences = new Map<string, string>();
  return {
    add(token, difference) {
      differences.set(hashToken(token), difference);
      const oldest = differences.keys().next().value;
      if (differences.size > maxTokens && oldest !== undefined) differences.delete(oldest);
    },
    find(authorization) {
      if (differences.size === 0 || authorization === undefined) return undefined;
      const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
      return token === undefined ? undefined : differences.get(hashToken(token));
    },
    clear: () => differences.clear(),
  };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
