/** Records the subjects of tokens that a request issues. */
import type { TokenIssuer } from './issue.ts';

export interface TokenSubject {
  readonly kind: 'client' | 'user' | 'logon';
  readonly clientId: string;
  readonly userId?: string;
  readonly logon?: string;
  readonly sessionId?: string | undefined;
}

/** Wraps an issuer; calls `record` before each token is issued. */
export function recordIssuedTokens(issuer: TokenIssuer, record: (issued: TokenSubject) => void): TokenIssuer {
  return {
    secondsLeft: issuer.secondsLeft,
    findExpiry: issuer.findExpiry,
    issueForClient(client, more) {
      record({ kind: 'client', clientId: client.clientId, sessionId: more?.session?.sessionId });
      return issuer.issueForClient(client, more);
    },
    issueForUser(user, session, client, more) {
      const { clientId } = client;
      record({ kind: 'user', clientId, userId: user.userId, sessionId: session.sessionId });
      return issuer.issueForUser(user, session, client, more);
    },
    issueForLogon(logon, session, client, more) {
      record({ kind: 'logon', clientId: client.clientId, logon, sessionId: session.sessionId });
      return issuer.issueForLogon(logon, session, client, more);
    },
  };
}
