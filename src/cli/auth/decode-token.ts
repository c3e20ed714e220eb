/** Decodes a JWT (RFC 7519) without verifying its signature. */
import { usageError } from '../errors.ts';

export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Decodes header and claims of a token in compact serialization. @throws CliError if it is not a JWT */
export function decodeToken(token: string): DecodedToken {
  const [header = '', claims = '', signature] = token.trim().split('.');
  if (signature === undefined) throw usageError('Not a JWT: expected three parts separated by dots.');
  return { header: decodePart(header), claims: decodePart(claims) };
}

/** Returns the claims of a token; undefined if it is not a JWT. An opaque token can be valid. */
export function decodeClaims(token: string): DecodedToken['claims'] | undefined {
  try {
    return decodeToken(token).claims;
  } catch {
    return undefined;
  }
}

function decodePart(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below, together with values that are not objects.
  }
  throw usageError('Not a JWT: header and claims must be base64url-encoded JSON objects.');
}
