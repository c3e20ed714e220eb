/** Explains why an access token is rejected. Reads the unverified content of the token; the signature is considered last. */
import { AccessClaims, accessTokenType, maxClockSkewSeconds } from './claims.ts';
import type { KeyRing } from './keys.ts';

interface VerificationContext {
  readonly keys: Pick<KeyRing, 'find' | 'findForIdToken'>;
  readonly issuer: string;
  /** Epoch seconds. */
  readonly now: number;
}

type TokenPart = Readonly<Record<string, unknown>>;

/** One sentence; of the token's content it contains only times. */
export function explainRejection(token: string, context: VerificationContext): string {
  const parts = token.split('.');
  const [header, payload] = parts.map(parsePart);
  if (parts.length !== 3 || !header || !payload)
    return 'It is not a JSON Web Token. Refresh tokens and product tokens do not authenticate requests.';
  return (
    explainHeader(header, payload, context) ??
    explainPayload(payload, context) ??
    'Its signature is invalid: it was modified, or signed with another key.'
  );
}

function explainHeader(
  { kid, alg, typ }: TokenPart,
  { exp }: TokenPart,
  { keys, now }: VerificationContext,
): string | undefined {
  if (alg === 'none') return 'It is not signed: its algorithm is none.';
  if (typeof kid !== 'string') return 'Its header contains no key id (kid).';
  const key = keys.findForIdToken(kid);
  if (!key) {
    const expiry = isPast(exp, now) ? `It expired at ${formatInstant(exp)}, and is` : 'It is';
    return `${expiry} signed with a key that this server does not have: another server issued it, the key has expired, or the store was recreated.`;
  }
  if (key.alg !== alg) return 'Its algorithm differs from that of its key.';
  return keys.find(kid) && String(typ).toLowerCase() === accessTokenType
    ? undefined
    : 'It is a token of this server, but not an access token.';
}

function explainPayload(payload: TokenPart, { issuer, now }: VerificationContext): string | undefined {
  const { iss, aud, exp, nbf, iat } = payload;
  if (iss !== issuer) return `It was issued by an issuer other than ${issuer}.`;
  if (![aud].flat().includes(issuer)) return 'It has a different audience.';
  if (isPast(exp, now)) return `It expired at ${formatInstant(exp)}.`;
  const acceptedFrom = (parseSeconds(iat) ?? now) - maxClockSkewSeconds;
  const validFrom = Math.max(parseSeconds(nbf) ?? now, acceptedFrom);
  if (validFrom <= now) return explainClaims(payload);
  return `It is not valid before ${formatInstant(validFrom)}${acceptedFrom > now ? ': the clock was set back' : ''}.`;
}

/** Names the first claim that is missing or has a wrong type. */
function explainClaims(payload: TokenPart): string | undefined {
  const [issue] = AccessClaims.safeParse(payload).error?.issues ?? [];
  const name = issue && String(issue.path[0]);
  if (name === undefined) return undefined;
  return name in payload ? `Its claim ${name} has a wrong type.` : `It has no claim ${name}.`;
}

function isPast(exp: unknown, now: number): exp is number {
  return typeof exp === 'number' && exp <= now;
}

function parseSeconds(claim: unknown): number | undefined {
  return typeof claim === 'number' ? claim : undefined;
}

/** Formats epoch seconds; values out of the range of dates are returned as digits. */
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
