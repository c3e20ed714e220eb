import { conflicts } from './conflicts.ts';
import { controlErrors } from './control-errors.ts';
import type { ErrorEntry } from './error-entry.ts';
import { notFoundErrors } from './not-found-errors.ts';
import { httpErrors, malformedRequests } from './request-errors.ts';
import { ruleErrors } from './rule-errors.ts';

/**
 * The error table: every error that a caller can see, with its status, message and hint. Codes are public and stable.
 * If an operation does not document the status, `resolveErrorStatus` selects a replacement.
 */
export const errorTable = {
  ...malformedRequests,
  // 401 and 403: authentication and authorization
  CREDENTIALS_MISSING: {
    status: 401,
    category: 'credentials',
    message: 'The request has no credentials.',
    hint: 'Log in, or send an Authorization or X-Api-Key header.',
  },
  CREDENTIALS_INVALID: {
    status: 401,
    category: 'credentials',
    message: 'The credentials are not valid.',
    hint: 'Check the user name and password, the client id and secret, or the API key.',
  },
  TOKEN_INVALID: {
    status: 401,
    category: 'credentials',
    message: 'The access token is not valid or has expired.',
    hint: 'Log in again to obtain a new token.',
  },
  PROOF_INVALID: {
    status: 401,
    category: 'verification',
    message: 'The code, certificate or assertion is not valid or has expired.',
    hint: 'Start again with a new one. For security, the response does not state which check failed.',
  },
  ROLE_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The caller lacks a role that this operation requires.',
    hint: 'Add the caller to a group that grants the role.',
  },
  GRANT_EXCEEDED: {
    status: 403,
    category: 'forbidden',
    message: 'The caller cannot grant roles or scopes that it does not have.',
    hint: 'Use a caller that has every role and scope that the message names.',
  },
  MFA_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The user is an administrator, so this request requires AUTH-MFA.',
    hint: 'Complete the second factor first, or use a client that has AUTH-MFA.',
  },
  USER_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'This operation requires the access token of a user.',
    hint: 'Send the access token of a user.',
  },
  TARGET_NOT_ALLOWED: {
    status: 403,
    category: 'forbidden',
    message: 'The target client is not a first-party client.',
    hint: 'Specify a first-party client.',
  },
  BILLING_TYPE_NOT_SOLD: {
    status: 403,
    category: 'forbidden',
    message: 'The product is not sold with this billing type.',
    hint: 'Use a billing type of the product.',
  },
  ...notFoundErrors,
  ...httpErrors,
  // 429: limits
  TOO_MANY_ATTEMPTS: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many failed attempts. Wait for the time in Retry-After. For tests, --disable-rate-limits turns this limit off.',
    hint: 'Retry with the correct password or secret after the wait. Sources and devices from which the user has logged in before are not blocked.',
  },
  CODE_FAILURES: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many wrong codes. Wait for the time in Retry-After. For tests, --disable-rate-limits turns this limit off.',
    hint: 'Request a new code after the wait.',
  },
  TOO_MANY_CODES: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many codes were sent. Wait for the time in Retry-After. For tests, --disable-rate-limits turns this limit off.',
    hint: 'Use the last code, or request another one after the wait.',
  },
  GROWTH_LIMIT: {
    status: 429,
    category: 'limit',
    setting: 'growth-limit',
    message:
      'Unauthenticated callers from this network created too many objects within an hour (setting growth-limit).',
    hint: 'Wait for the time in Retry-After, or authenticate the client. The operator can raise --growth-limit.',
  },
  TOO_MANY_FAULTS: {
    status: 429,
    category: 'limit',
    message: 'The maximum number of faults is reached.',
    hint: 'Remove faults with `iam faults remove` or `iam faults clear`.',
  },
  TOO_MANY_WAITERS: {
    status: 429,
    category: 'limit',
    message: 'Too many callers are waiting.',
    hint: 'Retry after some of the waiting requests have completed.',
  },
  ...controlErrors,
  ...conflicts,
  ...ruleErrors,
  // Separate errors in RFC 6749
  GRANT_INVALID: {
    status: 400,
    category: 'grant',
    message: 'The password or refresh token is not valid or has expired.',
    hint: 'Log in again.',
  },
  GRANT_TYPE_UNSUPPORTED: {
    status: 400,
    category: 'grant',
    message: 'The grant type is not supported.',
    hint: 'Use client_credentials, password or refresh_token.',
  },
  // 5xx
  INTERNAL: {
    status: 500,
    category: 'server',
    message: 'Internal error. The server log contains the reason under the request id.',
    hint: 'Find the request id in the server log.',
  },
  BILLING_TYPE_UNSUPPORTED: {
    status: 501,
    category: 'server',
    message: 'The product system does not implement this billing type.',
    hint: 'Use another billing type.',
  },
  MAINFRAME_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    setting: 'mainframe-url',
    message: 'The mainframe does not respond.',
    hint: 'Retry later, and check the setting mainframe-url.',
  },
  PRODUCT_SYSTEM_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    setting: 'products-url',
    message: 'The product system does not respond.',
    hint: 'Retry later, and check the setting products-url.',
  },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    message: 'The keys of the identity provider cannot be fetched.',
    hint: 'Retry later, and check jwksUri of the provider.',
  },
  TOO_BUSY: {
    status: 503,
    category: 'unavailable',
    message: 'The queue for password hashing is full.',
    hint: 'Wait for the time in Retry-After, then retry. The operator can raise --hash-queue-size.',
  },
  TOO_MANY_REQUESTS_WAITING: {
    status: 503,
    category: 'unavailable',
    message: 'Too many requests from this address are queued.',
    hint: 'Wait for the time in Retry-After, then send fewer concurrent requests.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    message: 'The store rejects writes. Nothing was changed.',
    hint: 'Retry later. The server log contains the reason.',
  },
} as const satisfies Record<string, ErrorEntry>;
