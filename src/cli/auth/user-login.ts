/** Logs a user in with a password. */

import { type AnonymousCall, basicAuthorization } from '../../client/credentials.ts';
import { ClientError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';
import { isSameOrigin } from '../config/server-url.ts';
import type { CliSettings } from '../config/settings.ts';

export interface UserCredentials {
  readonly userName: string;
  readonly password: string;
  /** The identified client of the login; it needs no secret. */
  readonly clientId: string;
}

/** The client through which users sign in at the server in use: of the environment, else of a profile for that server. */
export function findUserLoginClient(settings: CliSettings): string | undefined {
  const { profile, variables } = settings;
  if (variables.IAM_CLIENT_ID) return variables.IAM_CLIENT_ID;
  if (!profile || !isSameOrigin(settings.get('base-url')?.value ?? '', profile.baseUrl)) return undefined;
  return profile.session?.clientId ?? profile.userClientId ?? profile.clientId;
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
