/**
 * Recognizes requests of the web console: they have its header, and a token of an administrator that the server issued to a
 * request with its header. The id of such a token contains a digest with the key of the store, so that only servers with this store can
 * create one, after a restart too, and no claim distinguishes the token.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isAdministrativeRole } from '../../contract/roles.ts';
import { hasConsoleHeader, isSafeMethod } from '../http/fetch-metadata.ts';
import type { RequestState } from '../http/request-state.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import { type AccessClaims, parseAuthorities } from '../tokens/claims.ts';
import type { TokenIssuer } from '../tokens/issue.ts';

type Digest = Pick<StoreSecret, 'digest'>;

interface ConsoleDeps {
  readonly issuer: TokenIssuer;
  readonly storeSecret: Digest;
}

/** The issuer for a request: for those with the header of the console, it marks the ids of tokens of administrators. */
export function issuerOfRequest(
  { issuer, storeSecret }: ConsoleDeps,
  { headers }: Pick<IncomingMessage, 'headers'>,
): TokenIssuer {
  if (!hasConsoleHeader(headers)) return issuer;
  return {
    ...issuer,
    issue: (content, onIssue) =>
      issuer.issue(content, (claims) => {
        if (mayUseConsole(claims)) claims.jti = markTokenId(claims.jti, storeSecret);
        onIssue?.(claims);
      }),
  };
}

/** Whether the console sent the request. Its token may have expired or be revoked: a rejected read is a read. */
export function isConsoleRequest(headers: IncomingHttpHeaders, secret: Digest): boolean {
  if (!hasConsoleHeader(headers)) return false;
  const tokenId = readTokenId(headers.authorization);
  return tokenId !== undefined && isEqual(markTokenId(tokenId, secret), tokenId);
}

/** Whether the request only shows something in the console: it is in no count, and does not match fault rules. */
export function isConsoleRead({ isFromConsole, request, operation }: RequestState): boolean {
  return isFromConsole === true && (isSafeMethod(request.method) || operation?.audit.kind === 'read');
}

/** Other callers cannot hide their reads: only administrators see the control plane, and so the console. */
function mayUseConsole(claims: AccessClaims): boolean {
  return parseAuthorities(claims).some(isAdministrativeRole);
}

/** Characters of the random half of a UUID. */
const randomLength = 'xxxxxxxx-xxxx-4xxx'.length;

/** A UUID with 60 random bits and 60 bits of their digest (RFC 9562, in the form of version 4). */
function markTokenId(tokenId: string, secret: Digest): string {
  const half = tokenId.slice(0, randomLength);
  const digest = secret.digest('console-token', half);
  return `${half}-8${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}

/** The id in a token, which is not verified. */
function readTokenId(authorization: string | undefined): string | undefined {
  const [, payload] = /^bearer +[\w-]+\.([\w-]+)\.[\w-]* *$/i.exec(authorization ?? '') ?? [];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const { jti } = Object(claims) as { readonly jti?: unknown };
    return typeof jti === 'string' ? jti : undefined;
  } catch {
    return undefined;
  }
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
