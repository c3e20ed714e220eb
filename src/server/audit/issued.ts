/** Notes for whom a call issues a token, whichever operation it is. */
import type { TokenIssuer } from '../tokens/issue.ts';

/** Who got a token. */
export interface Issued {
  readonly kind: 'client' | 'user' | 'logon';
  readonly clientId: string;
  readonly userId?: string;
  readonly logon?: string;
  readonly sessionId?: string | undefined;
}

/** The same issuer, which tells of each token first. */
export function noting(issuer: TokenIssuer, note: (issued: Issued) => void): TokenIssuer {
  return {
    ...issuer,
    forClient(client, more) {
      note({ kind: 'client', clientId: client.clientId, sessionId: more?.session?.sessionId });
      return issuer.forClient(client, more);
    },
    forUser(user, session, client, more) {
      const { clientId } = client;
      note({ kind: 'user', clientId, userId: user.userId, sessionId: session.sessionId });
      return issuer.forUser(user, session, client, more);
    },
    forLogon(logon, session, client, more) {
      note({ kind: 'logon', clientId: client.clientId, logon, sessionId: session.sessionId });
      return issuer.forLogon(logon, session, client, more);
    },
  };
}
