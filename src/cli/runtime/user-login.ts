/** Logging in a user by its password. */
import type { Answer } from '../../client/answer.ts';
import { type AnonymousCall, basicAuthorization } from '../../client/credentials.ts';
import { ClientError } from '../../client/errors.ts';

export interface UserPair {
  readonly userName: string;
  readonly password: string;
  /** The client that the user logs in through; naming it is enough. */
  readonly clientId: string;
}

/** Logs in through a client that is merely named; `remember` asks for a refresh token and shorter access tokens. */
export function loginUser(
  call: AnonymousCall,
  { userName, password, clientId, remember }: UserPair & { readonly remember: boolean },
): Promise<Answer> {
  const authorization = basicAuthorization({ clientId: userName, clientSecret: password });
  const query = remember ? { clientId, 'remember-me': true } : { clientId };
  return call('user-identities.login', { query, headers: { authorization } });
}

/**
 * Logs in for a session that lasts. A client that has a secret renews by it where its grants allow that; where they do
 * not, longer access tokens are worth more than a refresh token that nobody takes.
 */
export async function loginUserToStay(call: AnonymousCall, pair: UserPair, clientSecret?: string): Promise<Answer> {
  if (clientSecret === undefined) return loginUser(call, { ...pair, remember: true });
  try {
    return await call('generate-token.create', { body: { grantType: 'password', clientSecret, ...pair } });
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'GRANT_TYPE_NOT_ALLOWED') throw error;
    return loginUser(call, { ...pair, remember: false });
  }
}
