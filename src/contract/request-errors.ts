/** The part of the error table for requests that can not be read or that HTTP itself refuses. */
import type { ErrorEntry } from './error-entry.ts';

export const malformedRequests = {
  BODY_NOT_JSON: {
    status: 400,
    category: 'request',
    message: 'The body is not JSON.',
    hint: 'Send one JSON value, encoded as UTF-8.',
  },
  BODY_TOO_DEEP: {
    status: 400,
    category: 'request',
    message: 'The body is nested too deeply.',
    hint: 'Flatten the JSON value.',
  },
  BODY_TOO_COMPLEX: {
    status: 400,
    category: 'request',
    message: 'The body has too many fields or values.',
    hint: 'Send fewer at once, as many as the message says at most.',
  },
  FIELD_MISSING: {
    status: 400,
    category: 'field',
    message: 'A required field is missing.',
    hint: 'Send the named field.',
  },
  FIELD_UNKNOWN: {
    status: 400,
    category: 'field',
    message: 'There is no such field.',
    hint: 'Leave the named field out; see the API document for those there are.',
  },
  FIELD_TYPE: {
    status: 400,
    category: 'field',
    message: 'A field is of the wrong type.',
    hint: 'Send the type that the API document gives.',
  },
  FIELD_VALUE: {
    status: 422,
    category: 'field',
    message: 'A field has a value that is not allowed.',
    hint: 'Send a value within the limits that the message names.',
  },
  USER_NAME_RESERVED: {
    status: 400,
    category: 'field',
    message: 'The user name has a form that is reserved for e-mail addresses or for links to outside accounts.',
    hint: 'Send a name without a colon; one in the form of an e-mail address must be the userEmail of the same request.',
  },
  QUERY_REPEATED: {
    status: 400,
    category: 'field',
    message: 'A query parameter is given more than once.',
    hint: 'Give it once.',
  },
  CURSOR_INVALID: {
    status: 400,
    category: 'field',
    message: 'The value of after is no cursor of this list.',
    hint: 'Take it from the Link header of the page before, with the same filters.',
  },
  REQUEST_MALFORMED: {
    status: 400,
    category: 'request',
    message: 'The request is not valid HTTP.',
    hint: 'Send a well-formed HTTP/1.1 request.',
  },
  HOST_MISSING: {
    status: 400,
    category: 'request',
    message: 'The Host header is missing or not valid.',
    hint: 'Send one Host header.',
  },
  CREDENTIALS_AMBIGUOUS: {
    status: 400,
    category: 'credentials',
    message: 'The call presents itself in more than one way.',
    hint: 'Send one credential: Authorization, X-Api-Key or clientId, not several that differ.',
  },
} as const satisfies Record<string, ErrorEntry>;

export const httpErrors = {
  METHOD_NOT_ALLOWED: {
    status: 405,
    category: 'request',
    message: 'This path does not take this method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    category: 'request',
    message: 'The request did not arrive in time.',
    hint: 'Send the whole request without pausing.',
  },
  BODY_TOO_LARGE: { status: 413, category: 'request', message: 'The body is too large.', hint: 'Send less at once.' },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    category: 'request',
    message: 'The body is of a type or an encoding that is not taken.',
    hint: 'Send Content-Type: application/json, not compressed.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    category: 'request',
    message: 'This Expect header is not supported.',
    hint: 'Leave Expect out, or send 100-continue.',
  },
  HOST_FOREIGN: {
    status: 421,
    category: 'request',
    setting: 'allowed-host',
    message: 'The server does not answer to the name in the Host header. Name it with --allowed-host.',
    hint: 'Use an address, localhost or the host of the base URL, or start the server with --allowed-host NAME. Without --allow-remote the control plane answers to loopback names and those of --allowed-host.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    category: 'request',
    message: 'The headers are too large.',
    hint: 'Send fewer or shorter headers.',
  },
} as const satisfies Record<string, ErrorEntry>;
