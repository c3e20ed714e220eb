/** Errors of rejected credentials, with the challenge of their authentication method. */
import { apiError, type ErrorCode, type IamError } from '../../contract/errors.ts';

type AuthenticationErrorCode = Extract<ErrorCode, 'CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'TOKEN_INVALID'>;

/** A 401 error with the matching challenge (RFC 6750, 3.1; RFC 7617). */
export function createAuthenticationError(code: AuthenticationErrorCode, challenge = challenges[code]): IamError {
  return apiError(code, undefined, { 'WWW-Authenticate': challenge });
}

/** Requests client id and secret (RFC 7617). */
export const basicChallenge = 'Basic realm="iam", charset="UTF-8"';

const challenges = {
  CREDENTIALS_MISSING: 'Bearer realm="iam"',
  CREDENTIALS_INVALID: basicChallenge,
  TOKEN_INVALID: 'Bearer realm="iam", error="invalid_token"',
};
