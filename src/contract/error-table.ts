import { conflicts } from './conflicts.ts';
import { controlErrors } from './control-errors.ts';
import type { ErrorEntry } from './error-entry.ts';
import { notFoundErrors } from './not-found-errors.ts';
import { httpErrors, malformedRequests } from './request-errors.ts';
import { ruleErrors } from './rule-errors.ts';

/**
 * THE error table: every failure that a caller can see, its status and its words. A code is public: add, never reword.
 * An operation answers with the status given here where it documents it, else with the next best (statusOnOperation).
 */
export const errorTable = {
  ...malformedRequests,
  // 401 and 403: who calls
  CREDENTIALS_MISSING: {
    status: 401,
    category: 'credentials',
    message: 'The call presents no credentials.',
    hint: 'Log in, or send Authorization or X-Api-Key.',
  },
  CREDENTIALS_INVALID: {
    status: 401,
    category: 'credentials',
    message: 'The credentials are not valid.',
    hint: 'Check name and password of the user, id and secret of the client, or the API key.',
  },
  TOKEN_INVALID: {
    status: 401,
    category: 'credentials',
    message: 'The access token is not valid, or no longer.',
    hint: 'Log in again for a new token.',
  },
  PROOF_INVALID: {
    status: 401,
    category: 'verification',
    message: 'The proof is not valid, or no longer.',
    hint: 'Begin anew. What was wrong with it is not told.',
  },
  ROLE_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The caller lacks a role that this operation needs.',
    hint: 'Have the caller added to a group that gives the role.',
  },
  GRANT_EXCEEDED: {
    status: 403,
    category: 'forbidden',
    message: 'The caller can not grant more than it holds itself.',
    hint: 'Call as a caller that holds each role and scope that the message names.',
  },
  MFA_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The user is an administrator: to change this, the caller needs AUTH-MFA.',
    hint: 'Give a second proof first, or call as a client that has AUTH-MFA.',
  },
  USER_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'This is for users, and the caller is none.',
    hint: 'Call with the token of a user.',
  },
  TARGET_NOT_ALLOWED: {
    status: 403,
    category: 'forbidden',
    message: 'The target client is not one of the first party.',
    hint: 'Name a first-party client.',
  },
  BILLING_TYPE_NOT_SOLD: {
    status: 403,
    category: 'forbidden',
    message: 'The product is not sold with this billing type.',
    hint: 'Choose one of the billing types of the product.',
  },
  ...notFoundErrors,
  ...httpErrors,
  // 429: how often
  TOO_MANY_ATTEMPTS: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many attempts have failed. Wait as long as Retry-After says; for tests, --disable-rate-limits switches the limit off.',
    hint: 'Send the right password or secret after the wait. A source or device that the user logged in from before is served.',
  },
  CODE_FAILURES: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'There were too many wrong codes. Wait as long as Retry-After says; for tests, --disable-rate-limits switches the limit off.',
    hint: 'Ask for a new code after the wait.',
  },
  TOO_MANY_CODES: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many codes went out. Wait as long as Retry-After says; for tests, --disable-rate-limits switches the limit off.',
    hint: 'Use the last code, or ask for another after the wait.',
  },
  GROWTH_LIMIT: {
    status: 429,
    category: 'limit',
    setting: 'growth-limit',
    message:
      'Callers that did not authenticate created too much from this network within an hour (setting growth-limit).',
    hint: 'Wait as long as Retry-After says, or authenticate the client. The operator can raise --growth-limit.',
  },
  TOO_MANY_FAULTS: {
    status: 429,
    category: 'limit',
    message: 'There are as many faults as there may be.',
    hint: 'Remove those that are no longer wanted.',
  },
  TOO_MANY_WAITERS: {
    status: 429,
    category: 'limit',
    message: 'Too many callers wait here.',
    hint: 'Try again once some of them have been answered.',
  },
  ...controlErrors,
  ...conflicts,
  ...ruleErrors,
  // RFC 6749 names these apart
  GRANT_INVALID: {
    status: 400,
    category: 'grant',
    message: 'The password or refresh token is not valid, or no longer.',
    hint: 'Log in again.',
  },
  GRANT_TYPE_UNSUPPORTED: {
    status: 400,
    category: 'grant',
    message: 'There is no such grant type.',
    hint: 'Use client_credentials, password or refresh_token.',
  },
  // 5xx
  INTERNAL: {
    status: 500,
    category: 'server',
    message: 'The service failed. Its log has the reason under the request id.',
    hint: 'Look up the request id in the log of the server.',
  },
  BILLING_TYPE_UNSUPPORTED: {
    status: 501,
    category: 'server',
    message: 'The product system does not implement this billing type.',
    hint: 'Choose another billing type.',
  },
  MAINFRAME_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    setting: 'mainframe-url',
    message: 'The mainframe does not answer.',
    hint: 'Try again later; see the setting mainframe-url.',
  },
  PRODUCT_SYSTEM_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    setting: 'products-url',
    message: 'The product system does not answer.',
    hint: 'Try again later; see the setting products-url.',
  },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    message: 'The keys of the identity provider are out of reach.',
    hint: 'Try again later; check jwksUri of the provider.',
  },
  TOO_BUSY: {
    status: 503,
    category: 'unavailable',
    message: 'Too many passwords wait to be checked.',
    hint: 'Wait as long as Retry-After says, then try again.',
  },
  TOO_MANY_REQUESTS_WAITING: {
    status: 503,
    category: 'unavailable',
    message: 'Too many requests from this address wait to be handled.',
    hint: 'Wait as long as Retry-After says, then send fewer requests at the same time.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    message: 'The store takes no writes at the moment; nothing was changed.',
    hint: 'Try again later; the log of the server has the reason.',
  },
} as const satisfies Record<string, ErrorEntry>;
