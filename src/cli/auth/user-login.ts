/** Logs a user in with a password. */

import { type AnonymousCall, basicAuthorization } from '../../client/credentials.ts';
import { ClientError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';

export interface UserCredentials {
  readonly userName: string;
  readonly password: string;
  /** The identified client of the login; it needs no secret. */
  readonly clientId: string;
}

/** Logs in through an identified client. `remember` requests a refresh token and a shorter access token. */
export function loginUser(
  call: AnonymousCall,
  { userName, password, clientId, remember }: UserCredentials & { readonly remember: boolean },
): Promise<ApiResponse> {
  const authorization = basicAuthorization({ clientId: userName, clientSecret: password });
  const query = remember ? { clientId, 'remember-me': true } : { clientId };
  return call('user-identities.login', { query, headers: { authorization } });
}

/**
 * Logs in for a stored session. A client with a secret uses the password grant if it is allowed; otherwise it requests
 * a longer access token, because it could not use a refresh token.
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
