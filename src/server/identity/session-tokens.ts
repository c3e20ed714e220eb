/** Tokens for sessions that are there already, whoever they are of. */
import type { Store } from '../store/store.ts';
import type { Client, Session } from '../store/tables.ts';
import type { IssueTokenOptions, TokenIssuer, TokenResponse } from '../tokens/issue.ts';

export interface SessionTokenDeps {
  readonly store: Store;
  readonly issuer: TokenIssuer;
}

/**
 * An access token in a session: for its user, its logon, or its client. What the session says of scope can be narrowed
 * by handing in one that says less.
 * @returns undefined where the user is gone or locked.
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
