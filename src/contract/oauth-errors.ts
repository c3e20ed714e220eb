/** Errors of the OAuth endpoints: the object of RFC 6749, 5.2, instead of the error array. */
import type { ErrorItem } from './errors.ts';

const errorNames: Readonly<Record<string, string>> = {
  CREDENTIALS_MISSING: 'invalid_client',
  CREDENTIALS_INVALID: 'invalid_client',
  TOKEN_INVALID: 'invalid_client',
  GRANT_INVALID: 'invalid_grant',
  GRANT_TYPE_UNSUPPORTED: 'unsupported_grant_type',
  GRANT_TYPE_NOT_ALLOWED: 'unauthorized_client',
  SCOPE_EXCEEDED: 'invalid_scope',
  TARGET_INVALID: 'invalid_target',
  TOKEN_TYPE_UNSUPPORTED: 'unsupported_token_type',
  LOGIN_REFUSED: 'access_denied',
  DEVICE_PENDING: 'authorization_pending',
  DEVICE_POLLED_TOO_OFTEN: 'slow_down',
  DEVICE_CODE_EXPIRED: 'expired_token',
  TOO_MANY_ATTEMPTS: 'temporarily_unavailable',
  TOO_BUSY: 'temporarily_unavailable',
  STORE_BUSY: 'temporarily_unavailable',
  STORE_UNAVAILABLE: 'temporarily_unavailable',
  OUTCOME_UNKNOWN: 'server_error',
  INTERNAL: 'server_error',
};

export interface OAuthError {
  readonly error: string;
  readonly error_description: string;
}

/**
 * `error_description` contains only printable ASCII without quote and backslash (RFC 6749, 5.2).
 * @param name the name of the error, if it is more exact than that of the code.
 */
export function toOAuthError(items: readonly ErrorItem[], name?: string): OAuthError {
  const description = items.map(({ message }) => message).join(' ');
  return {
    error: name ?? errorNames[items[0]?.code ?? ''] ?? 'invalid_request',
    error_description: description.replaceAll('"', "'").replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?'),
  };
}
