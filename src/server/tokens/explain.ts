/** Why an access token is not taken. It reads what the token says of itself without believing it; the signature comes last. */
import { accessTokenType, maxClockSkewSeconds } from './claims.ts';
import type { KeyRing } from './keys.ts';

interface VerificationContext {
  readonly keys: Pick<KeyRing, 'find'>;
  readonly issuer: string;
  /** Epoch seconds. */
  readonly now: number;
}

type TokenPart = Readonly<Record<string, unknown>>;

/** One sentence, without anything of the token itself but times. */
export function explainRejection(token: string, context: VerificationContext): string {
  const parts = token.split('.');
  const [header, payload] = parts.map(parsePart);
  if (parts.length !== 3 || !header || !payload)
    return 'It is no JSON Web Token: refresh tokens and others do not open calls.';
  return (
    explainHeader(header, context) ?? explainPayload(payload, context) ?? 'Its signature is not right: it was altered.'
  );
}

function explainHeader({ kid, alg, typ }: TokenPart, { keys }: VerificationContext): string | undefined {
  if (typeof kid !== 'string') return 'It names no signing key.';
  const key = keys.find(kid);
  if (!key)
    return 'It is signed with a key that this server does not have, or no longer: another server issued it, or the store was made anew.';
  if (key.alg !== alg) return 'It names another algorithm than that of its key.';
  return String(typ).toLowerCase() === accessTokenType
    ? undefined
    : 'It is a token of this server, but no access token.';
}

function explainPayload(
  { iss, aud, exp, nbf, iat }: TokenPart,
  { issuer, now }: VerificationContext,
): string | undefined {
  if (iss !== issuer) return `It was issued under another base URL than ${issuer}.`;
  if (![aud].flat().includes(issuer)) return 'It is meant for another audience.';
  if (typeof exp === 'number' && exp <= now) return `It has expired at ${formatInstant(exp)}.`;
  const validFrom = Math.max(parseSeconds(nbf) ?? now, (parseSeconds(iat) ?? now) - maxClockSkewSeconds);
  return validFrom > now ? `It is taken only from ${formatInstant(validFrom)} on: the clock was set back.` : undefined;
}

function parseSeconds(claim: unknown): number | undefined {
  return typeof claim === 'number' ? claim : undefined;
}

/** Times that no clock shows come as they are. */
function formatInstant(seconds: number): string {
  const milliseconds = seconds * 1000;
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(seconds);
}

function parsePart(encoded: string): TokenPart | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as TokenPart) : undefined;
  } catch {
    return undefined;
  }
}
