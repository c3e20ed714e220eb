/** Reading a JWT without checking it: what it says, not whether that is true. */
import { usageError } from '../runtime/errors.ts';

export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Header and claims of a token in compact form. */
export function decodeToken(token: string): DecodedToken {
  const [header = '', claims = '', signature] = token.trim().split('.');
  if (signature === undefined) throw usageError('This is no JWT: it has no three parts.');
  return { header: decodePart(header), claims: decodePart(claims) };
}

function decodePart(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The next line says it for both.
  }
  throw usageError('This is no JWT: its parts are not JSON in base64url.');
}
