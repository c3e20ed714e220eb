/** Logging in a user by its password. */

import { type AnonymousCall, basicAuthorization } from '../../client/credentials.ts';
import { ClientError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';

export interface UserCredentials {
  readonly userName: string;
  readonly password: string;
  /** The client that the user logs in through; naming it is enough. */
  readonly clientId: string;
}

/** Logs in through a client that is merely named; `remember` asks for a refresh token and shorter access tokens. */
export function loginUser(
  call: AnonymousCall,
  { userName, password, clientId, remember }: UserCredentials & { readonly remember: boolean },
): Promise<ApiResponse> {
  const authorization = basicAuthorization({ clientId: userName, clientSecret: password });
  const query = remember ? { clientId, 'remember-me': true } : { clientId };
  return call('user-identities.login', { query, headers: { authorization } });
}

/**
 * Logs in for a session that lasts. A client that has a secret renews by it where its grants allow that; where they do
 * not, longer access tokens are worth more than a refresh token that nobody takes.
 */
export async function loginUserForSession(
  call: AnonymousCall,
  credentials: UserCredentials,
  clientSecret?: string,
): Promise<ApiResponse> {
  if (clientSecret === undefined) return loginUser(call, { ...credentials, remember: true });
  try {
    return await call('generate-token.create', { body: { grantType: 'password', clientSecret, ...credentials } });
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'GRANT_TYPE_NOT_ALLOWED') throw error;
    return loginUser(call, { ...credentials, remember: false });
  }
}
