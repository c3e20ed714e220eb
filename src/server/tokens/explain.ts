/** Why an access token is not taken. It reads what the token says of itself without believing it; the signature comes last. */
import { accessTokenType, clockDifference } from './claims.ts';
import type { KeyRing } from './keys.ts';

interface Place {
  readonly keys: Pick<KeyRing, 'find'>;
  readonly issuer: string;
  /** Epoch seconds. */
  readonly now: number;
}

type Part = Readonly<Record<string, unknown>>;

/** One sentence, without anything of the token itself but times. */
export function whyNotTaken(token: string, place: Place): string {
  const parts = token.split('.');
  const [header, payload] = parts.map(partOf);
  if (parts.length !== 3 || !header || !payload)
    return 'It is no JSON Web Token: refresh tokens and others do not open calls.';
  return (
    faultOfHeader(header, place) ?? faultOfPayload(payload, place) ?? 'Its signature is not right: it was altered.'
  );
}

function faultOfHeader({ kid, alg, typ }: Part, { keys }: Place): string | undefined {
  if (typeof kid !== 'string') return 'It names no signing key.';
  const key = keys.find(kid);
  if (!key)
    return 'It is signed with a key that this server does not have, or no longer: another server issued it, or the store was made anew.';
  if (key.alg !== alg) return 'It names another algorithm than that of its key.';
  return String(typ).toLowerCase() === accessTokenType
    ? undefined
    : 'It is a token of this server, but no access token.';
}

function faultOfPayload({ iss, aud, exp, nbf, iat }: Part, { issuer, now }: Place): string | undefined {
  if (iss !== issuer) return `It was issued under another base URL than ${issuer}.`;
  if (![aud].flat().includes(issuer)) return 'It is meant for another audience.';
  if (typeof exp === 'number' && exp <= now) return `It has expired at ${instant(exp)}.`;
  const begin = Math.max(secondsOf(nbf) ?? now, (secondsOf(iat) ?? now) - clockDifference);
  return begin > now ? `It is taken only from ${instant(begin)} on: the clock was set back.` : undefined;
}

function secondsOf(claim: unknown): number | undefined {
  return typeof claim === 'number' ? claim : undefined;
}

/** Times that no clock shows come as they are. */
function instant(seconds: number): string {
  const milliseconds = seconds * 1000;
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(seconds);
}

function partOf(encoded: string): Part | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Part) : undefined;
  } catch {
    return undefined;
  }
}
