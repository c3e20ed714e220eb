/** Inspects a token for operators: its content, its key, and whether and why it is rejected. Changes nothing. */
import { compactVerify, importJWK, type JWK } from 'jose';
import { IamError } from '../../contract/errors.ts';
import { epochSeconds } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { hashSecret } from '../lib/secrets.ts';
import { computeRefreshTokenExpiry, findRefreshToken } from '../sessions/refresh-tokens.ts';
import type { Session, SigningKey } from '../store/tables.ts';
import { describeSigningKey, type KeyDescription } from '../tokens/key-states.ts';
import { type Authentication, authenticate } from './authenticate.ts';

export const tokenStatuses = [
  'active',
  'expired',
  'not-yet-valid',
  'revoked',
  'session-ended',
  'used',
  'key-unknown',
  'key-expired',
  'forged',
  'rejected',
  'unknown',
] as const;

export type TokenStatus = (typeof tokenStatuses)[number];
type TokenKind = 'jwt' | 'refresh' | 'product' | 'one-time' | 'unknown';
type Content = Readonly<Record<string, unknown>>;

export interface TokenInspection {
  readonly kind: TokenKind;
  readonly status: TokenStatus;
  /** Why it is rejected, in one sentence. */
  readonly reason?: string | undefined;
  /** The content of a JSON Web Token, which may be forged. */
  readonly header?: Content;
  readonly claims?: Content;
  /** Whether a key of this server signed it, also if the key is no longer accepted. */
  readonly verified?: boolean;
  readonly key?: KeyDescription | undefined;
  /** Epoch seconds. */
  readonly expiresAt?: number | undefined;
  readonly session?: Session | undefined;
  /** The roles that a request with the token has now. */
  readonly roles?: readonly string[] | undefined;
}

/** @param source the source of the request that asks. */
export async function inspectToken(
  token: string,
  deps: Authentication,
  source: RequestSource,
): Promise<TokenInspection> {
  const content = parseToken(token);
  return content ? inspectJwt(token, content, deps, source) : inspectOpaqueToken(token, deps);
}

interface JwtContent {
  readonly header: Content;
  readonly claims: Content;
}

function parseToken(token: string): JwtContent | undefined {
  const parts = token.split('.');
  const [header, claims] = parts.map(parsePart);
  return parts.length === 3 && header && claims ? { header, claims } : undefined;
}

function parsePart(encoded: string): Content | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Content) : undefined;
  } catch {
    return undefined;
  }
}

async function inspectJwt(
  token: string,
  { header, claims }: JwtContent,
  deps: Authentication,
  source: RequestSource,
): Promise<TokenInspection> {
  const now = epochSeconds(deps.clock);
  const row = typeof header.kid === 'string' ? await deps.store.signingKeys.get(header.kid) : undefined;
  const key = row && describeSigningKey(row, now);
  const verified = row !== undefined && (await isSignedBy(token, row));
  const attempt = await tryToken(token, deps, source);
  // Only a verified claim may name an object of the store.
  const session = verified ? await deps.store.sessions.get(String(claims.sid ?? '')) : undefined;
  const shared = { kind: 'jwt', header, claims, verified, key, expiresAt: readNumber(claims.exp), session } as const;
  if (attempt.roles) return { ...shared, status: 'active', roles: attempt.roles };
  const status = !key
    ? 'key-unknown'
    : !verified
      ? 'forged'
      : await findVerifiedStatus(claims, { deps, key, session, now });
  return { ...shared, status, reason: attempt.reason };
}

interface VerifiedToken {
  readonly deps: Authentication;
  readonly key: KeyDescription;
  readonly session: Session | undefined;
  readonly now: number;
}

/** Why a token that this server signed is rejected. */
async function findVerifiedStatus(
  { exp, nbf, sid, jti }: Content,
  { deps, key, session, now }: VerifiedToken,
): Promise<TokenStatus> {
  if ((readNumber(exp) ?? Number.POSITIVE_INFINITY) <= now) return 'expired';
  if (key.state === 'expired') return 'key-expired';
  if ((readNumber(nbf) ?? now) > now) return 'not-yet-valid';
  if (sid !== undefined && (session === undefined || session.endsAt <= now)) return 'session-ended';
  return (await deps.store.revokedTokens.get(String(jti))) ? 'revoked' : 'rejected';
}

function readNumber(claim: unknown): number | undefined {
  return typeof claim === 'number' && Number.isFinite(claim) ? claim : undefined;
}

async function isSignedBy(token: string, { alg, publicJwk }: SigningKey): Promise<boolean> {
  try {
    await compactVerify(token, await importJWK(publicJwk as JWK, alg), { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
}

/** Authenticates with the token as a request would: the roles, or the reason of the rejection. */
async function tryToken(
  token: string,
  deps: Authentication,
  source: RequestSource,
): Promise<{ readonly roles?: readonly string[]; readonly reason?: string | undefined }> {
  try {
    const principal = await authenticate(deps, { bearer: token }, { auth: 'caller', source });
    return { roles: [...(principal?.roles ?? [])].sort() };
  } catch (error) {
    if (error instanceof IamError) return { reason: error.readReason()?.text };
    throw error;
  }
}

/** Refresh tokens, product tokens and one-time tokens are stored as hashes. */
async function inspectOpaqueToken(token: string, { store, clock }: Authentication): Promise<TokenInspection> {
  const [hash, now] = [hashSecret(token), epochSeconds(clock)];
  const refresh = await findRefreshToken(store, hash);
  if (refresh) {
    const session = await store.sessions.get(refresh.sessionId);
    const expiresAt = session && refresh.unused && computeRefreshTokenExpiry(refresh.unused, session);
    const isUsed = refresh.unused === undefined;
    return { kind: 'refresh', status: findRefreshStatus(isUsed, session, expiresAt, now), expiresAt, session };
  }
  const product = await store.opaqueTokens.get(hash);
  const row = product ?? (await store.tickets.get(hash));
  if (!row) return { kind: 'unknown', status: 'unknown' };
  const { expiresAt } = row;
  return { kind: product ? 'product' : 'one-time', status: expiresAt > now ? 'active' : 'expired', expiresAt };
}

function findRefreshStatus(
  used: boolean,
  session: Session | undefined,
  expiresAt: number | undefined,
  now: number,
): TokenStatus {
  if (session === undefined || session.endsAt <= now) return 'session-ended';
  if (used) return 'used';
  return expiresAt !== undefined && expiresAt > now ? 'active' : 'expired';
}
