/** Records the subjects of tokens that a request issues. */
import { type AccessClaims, parseAuthorities } from './claims.ts';
import type { TokenIssuer } from './issue.ts';

export interface TokenSubject {
  readonly kind: 'client' | 'user' | 'logon';
  readonly clientId: string;
  readonly userId?: string;
  readonly logon?: string;
  readonly sessionId?: string | undefined;
}

export interface IssuedToken {
  readonly subject: TokenSubject;
  readonly roles: readonly string[];
}

/** Wraps an issuer; calls `record` before each token is signed. */
export function recordIssuedTokens(issuer: TokenIssuer, record: (issued: IssuedToken) => void): TokenIssuer {
  return {
    ...issuer,
    issue: (content, onIssue) =>
      issuer.issue(content, (claims) => {
        record({ subject: readSubject(claims), roles: parseAuthorities(claims) });
        onIssue?.(claims);
      }),
  };
}

function readSubject({ client_id: clientId, user_id: userId, logon, sid: sessionId }: AccessClaims): TokenSubject {
  if (userId !== undefined) return { kind: 'user', clientId, userId, sessionId };
  return logon === undefined ? { kind: 'client', clientId, sessionId } : { kind: 'logon', clientId, logon, sessionId };
}
