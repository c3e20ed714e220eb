/** The part of the error table for malformed requests and HTTP errors. */
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
    hint: 'Send less data per request. The message names the maximum.',
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
    message: 'Unknown field.',
    hint: 'Omit the field. See the OpenAPI document for the accepted fields.',
  },
  FIELD_TYPE: {
    status: 400,
    category: 'field',
    message: 'A field has the wrong type.',
    hint: 'Send the type that the OpenAPI document specifies.',
  },
  FIELD_VALUE: {
    status: 422,
    category: 'field',
    message: 'A field has a value that is not allowed.',
    hint: 'Send a value within the limits in the message.',
  },
  USER_NAME_RESERVED: {
    status: 400,
    category: 'field',
    message: 'This form of user name is reserved for e-mail addresses and federated accounts.',
    hint: 'Send a name without a colon. A name in the form of an e-mail address must equal userEmail in the same request.',
  },
  QUERY_REPEATED: {
    status: 400,
    category: 'field',
    message: 'A query parameter is repeated.',
    hint: 'Send the parameter once.',
  },
  CURSOR_INVALID: {
    status: 400,
    category: 'field',
    message: 'The value of after is not a cursor of this list.',
    hint: 'Use the cursor from the Link header of the previous page, with the same filters.',
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
    message: 'The request has more than one kind of credentials.',
    hint: 'Send one of Authorization, X-Api-Key and clientId.',
  },
} as const satisfies Record<string, ErrorEntry>;

export const httpErrors = {
  METHOD_NOT_ALLOWED: {
    status: 405,
    category: 'request',
    message: 'This path does not support the method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    category: 'request',
    message: 'The request did not arrive in time.',
    hint: 'Send the whole request without pauses.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    category: 'request',
    message: 'The body is too large.',
    hint: 'Send less data per request.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    category: 'request',
    message: 'The content type or encoding of the body is not supported.',
    hint: 'Send Content-Type: application/json without compression.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    category: 'request',
    message: 'The Expect header is not supported.',
    hint: 'Omit Expect, or send 100-continue.',
  },
  HOST_FOREIGN: {
    status: 421,
    category: 'request',
    setting: 'allowed-host',
    message: 'The host name in the Host header is not allowed. Allow it with --allowed-host.',
    hint: 'Use an address, localhost or the host of the base URL, or start the server with --allowed-host NAME. Without --allow-remote, the control plane accepts only loopback names and those of --allowed-host.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    category: 'request',
    message: 'The headers are too large.',
    hint: 'Send fewer or shorter headers.',
  },
} as const satisfies Record<string, ErrorEntry>;
