/** Issues tokens for existing sessions. */
import type { Store } from '../store/store.ts';
import type { Client, Session } from '../store/tables.ts';
import type { IssueTokenOptions, TokenIssuer, TokenResponse } from '../tokens/issue.ts';

export interface SessionTokenDeps {
  readonly store: Store;
  readonly issuer: TokenIssuer;
}

/**
 * Issues an access token for a session of a user, a logon or a client. To narrow the scope, pass a session with less
 * scope.
 * @returns undefined if the user is locked or does not exist.
 */
export async function issueSessionToken(
  { store, issuer }: SessionTokenDeps,
  session: Session,
  client: Client,
  options: IssueTokenOptions = {},
): Promise<TokenResponse | undefined> {
  if (session.userId !== undefined) {
    const user = await store.users.get(session.userId);
    return user && !user.locked ? issuer.issueForUser(user, session, client, options) : undefined;
  }
  if (session.logon !== undefined) return issuer.issueForLogon(session.logon, session, client, options);
  return issuer.issueForClient(client, { ...options, session });
}
