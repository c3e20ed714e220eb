import { absences } from './absences.ts';
import { controlErrors } from './control-errors.ts';
import { type ErrorEntry, refusals } from './refusals.ts';

export type { ErrorEntry } from './refusals.ts';

/**
 * THE error table: every failure that a caller can see, its status and its words. A code is public: add, never reword.
 * An operation answers with the status given here where it documents it, else with the next best (statusOnOperation).
 */
export const errorTable = {
  // 400: the call can't be read
  BODY_NOT_JSON: { status: 400, message: 'The body is not JSON.', fix: 'Send one JSON value, encoded as UTF-8.' },
  BODY_TOO_DEEP: { status: 400, message: 'The body is nested too deeply.', fix: 'Flatten the JSON value.' },
  BODY_TOO_COMPLEX: {
    status: 400,
    message: 'The body has too many fields or values.',
    fix: 'Send fewer at once, as many as the message says at most.',
  },
  FIELD_MISSING: { status: 400, message: 'A required field is missing.', fix: 'Send the named field.' },
  FIELD_UNKNOWN: {
    status: 400,
    message: 'There is no such field.',
    fix: 'Leave the named field out; see the API document for those there are.',
  },
  FIELD_TYPE: {
    status: 400,
    message: 'A field is of the wrong type.',
    fix: 'Send the type that the API document gives.',
  },
  FIELD_VALUE: {
    status: 422,
    message: 'A field has a value that is not allowed.',
    fix: 'Send a value within the limits that the message names.',
  },
  USER_NAME_RESERVED: {
    status: 400,
    message: 'The user name has a form that is reserved for e-mail addresses or for links to outside accounts.',
    fix: 'Send a name without a colon; one in the form of an e-mail address must be the userEmail of the same request.',
  },
  QUERY_REPEATED: { status: 400, message: 'A query parameter is given more than once.', fix: 'Give it once.' },
  CURSOR_INVALID: {
    status: 400,
    message: 'The value of after is no cursor of this list.',
    fix: 'Take it from the Link header of the page before, with the same filters.',
  },
  REQUEST_MALFORMED: {
    status: 400,
    message: 'The request is not valid HTTP.',
    fix: 'Send a well-formed HTTP/1.1 request.',
  },
  HOST_MISSING: { status: 400, message: 'The Host header is missing or not valid.', fix: 'Send one Host header.' },
  CREDENTIALS_AMBIGUOUS: {
    status: 400,
    message: 'The call presents itself in more than one way.',
    fix: 'Send one credential: Authorization, X-Api-Key or clientId, not several that differ.',
  },
  // 401 and 403: who calls
  CREDENTIALS_MISSING: {
    status: 401,
    message: 'The call presents no credentials.',
    fix: 'Log in, or send Authorization or X-Api-Key.',
  },
  CREDENTIALS_INVALID: {
    status: 401,
    message: 'The credentials are not valid.',
    fix: 'Check name and password of the user, id and secret of the client, or the API key.',
  },
  TOKEN_INVALID: {
    status: 401,
    message: 'The access token is not valid, or no longer.',
    fix: 'Log in again for a new token.',
  },
  PROOF_INVALID: {
    status: 401,
    message: 'The proof is not valid, or no longer.',
    fix: 'Begin anew. What was wrong with it is not told.',
  },
  ROLE_MISSING: {
    status: 403,
    message: 'The caller lacks a role that this operation needs.',
    fix: 'Have the caller added to a group that gives the role.',
  },
  GRANT_EXCEEDED: {
    status: 403,
    message: 'The caller can not grant more than it holds itself.',
    fix: 'Call as a caller that holds each role and scope that the message names.',
  },
  MFA_MISSING: {
    status: 403,
    message: 'The user is an administrator: to change this, the caller needs AUTH-MFA.',
    fix: 'Give a second proof first, or call as a client that has AUTH-MFA.',
  },
  USER_MISSING: {
    status: 403,
    message: 'This is for users, and the caller is none.',
    fix: 'Call with the token of a user.',
  },
  TARGET_NOT_ALLOWED: {
    status: 403,
    message: 'The target client is not one of the first party.',
    fix: 'Name a first-party client.',
  },
  BILLING_TYPE_NOT_SOLD: {
    status: 403,
    message: 'The product is not sold with this billing type.',
    fix: 'Choose one of the billing types of the product.',
  },
  ...absences,
  // HTTP itself
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This path does not take this method.',
    fix: 'Use one of the methods in the Allow header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request did not arrive in time.',
    fix: 'Send the whole request without pausing.',
  },
  BODY_TOO_LARGE: { status: 413, message: 'The body is too large.', fix: 'Send less at once.' },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    message: 'The body is of a type or an encoding that is not taken.',
    fix: 'Send Content-Type: application/json, not compressed.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    message: 'This Expect header is not supported.',
    fix: 'Leave Expect out, or send 100-continue.',
  },
  HOST_FOREIGN: {
    status: 421,
    message: 'The server does not answer to the name in the Host header. Name it with --allowed-host.',
    fix: 'Use an address, localhost or the host of the base URL, or start the server with --allowed-host NAME. Without --allow-remote the control plane answers to loopback names and those of --allowed-host.',
  },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    message:
      'Too many attempts have failed. Wait as long as Retry-After says; for tests, --disable-rate-limits switches the limit off.',
    fix: 'Send the right password or secret after the wait. A source or device that the user logged in from before is served.',
  },
  CODE_FAILURES: {
    status: 429,
    message:
      'There were too many wrong codes. Wait as long as Retry-After says; for tests, --disable-rate-limits switches the limit off.',
    fix: 'Ask for a new code after the wait.',
  },
  TOO_MANY_CODES: {
    status: 429,
    message:
      'Too many codes went out. Wait as long as Retry-After says; for tests, --disable-rate-limits switches the limit off.',
    fix: 'Use the last code, or ask for another after the wait.',
  },
  GROWTH_LIMIT: {
    status: 429,
    message:
      'Callers that did not authenticate created too much from this network within an hour (setting growth-limit).',
    fix: 'Wait as long as Retry-After says, or authenticate the client. The operator can raise --growth-limit.',
  },
  TOO_MANY_FAULTS: {
    status: 429,
    message: 'There are as many faults as there may be.',
    fix: 'Remove those that are no longer wanted.',
  },
  TOO_MANY_WAITERS: {
    status: 429,
    message: 'Too many callers wait here.',
    fix: 'Try again once some of them have been answered.',
  },
  HEADERS_TOO_LARGE: { status: 431, message: 'The headers are too large.', fix: 'Send fewer or shorter headers.' },
  ...controlErrors,
  ...refusals,
  // RFC 6749 names these apart
  GRANT_INVALID: {
    status: 400,
    message: 'The password or refresh token is not valid, or no longer.',
    fix: 'Log in again.',
  },
  GRANT_TYPE_UNSUPPORTED: {
    status: 400,
    message: 'There is no such grant type.',
    fix: 'Use client_credentials, password or refresh_token.',
  },
  // 5xx
  INTERNAL: {
    status: 500,
    message: 'The service failed. Its log has the reason under the request id.',
    fix: 'Look up the request id in the log of the server.',
  },
  BILLING_TYPE_UNSUPPORTED: {
    status: 501,
    message: 'The product system does not implement this billing type.',
    fix: 'Choose another billing type.',
  },
  MAINFRAME_UNAVAILABLE: {
    status: 503,
    message: 'The mainframe does not answer.',
    fix: 'Try again later; see the setting mainframe-url.',
  },
  PRODUCT_SYSTEM_UNAVAILABLE: {
    status: 503,
    message: 'The product system does not answer.',
    fix: 'Try again later; see the setting products-url.',
  },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    message: 'The keys of the identity provider are out of reach.',
    fix: 'Try again later; check jwksUri of the provider.',
  },
  TOO_BUSY: {
    status: 503,
    message: 'Too many passwords wait to be checked.',
    fix: 'Wait as long as Retry-After says, then try again.',
  },
  TOO_MANY_REQUESTS_WAITING: {
    status: 503,
    message: 'Too many requests from this address wait to be handled.',
    fix: 'Wait as long as Retry-After says, then send fewer requests at the same time.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    message: 'The store takes no writes at the moment; nothing was changed.',
    fix: 'Try again later; the log of the server has the reason.',
  },
} as const satisfies Record<string, ErrorEntry>;
