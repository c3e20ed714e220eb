/** Exit codes of the command and their errors. */
import type { ErrorCategory, ErrorEntry } from '../contract/error-codes.ts';

export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

export const exitCodes: readonly ExitCode[] = [
  { code: 0, meaning: 'Done.' },
  { code: 1, meaning: 'Negative result, such as "no" of `can` or a difference of `diff`.' },
  { code: 2, meaning: 'Usage error: invalid command, option or value. Nothing was sent.' },
  { code: 3, meaning: 'Not found.' },
  { code: 4, meaning: 'Authentication required: credentials are missing or not valid.' },
  { code: 5, meaning: 'Forbidden: the caller lacks a role.' },
  { code: 6, meaning: 'Conflict: a concurrent change, a taken name, or a state that forbids it.' },
  { code: 7, meaning: 'Rejected: the request is not valid.' },
  { code: 8, meaning: 'Partly done: a row, an argument, a request or a part of an import failed.' },
  { code: 9, meaning: 'Changes are pending; only with --detailed-exitcode.' },
  { code: 10, meaning: 'Input required in non-interactive mode. Nothing was sent.' },
  { code: 70, meaning: 'Other error that lasts: output cannot be written, certificate, host.' },
  { code: 75, meaning: 'Temporary failure: nothing was changed. Try again later.' },
  { code: 76, meaning: 'Unknown outcome: a write may have taken effect. Read before a repeat.' },
  { code: 130, meaning: 'Interrupted.' },
  { code: 143, meaning: 'Terminated.' },
];

/** Exit codes of `iam serve`, and of `iam store` except for the port; 75 if a database is out of reach. */
export const serveExitCodes: readonly ExitCode[] = [
  { code: 11, meaning: 'The port is in use.' },
  { code: 12, meaning: "The folder or schema is no store, is older, or is another user's." },
  { code: 13, meaning: 'The folder or schema is in use by another server.' },
  { code: 14, meaning: 'The store is damaged, or of a newer version.' },
];

/** Categories that take precedence over the status. A reference to a missing object is 412 on some operations. */
const categories: Readonly<Partial<Record<ErrorCategory, number>>> = {
  changed: 6,
  taken: 6,
  'unknown-reference': 3,
  credentials: 4,
};

/**
 * The exit code of a rejected request, or of a failed read; for a write that may have taken effect, see
 * UnknownOutcomeError. The error table takes precedence if the code is known: a missing role is forbidden (5) also on
 * operations that respond with 401.
 */
export function getExitCode(status: number, entry: Pick<ErrorEntry, 'status' | 'category'> | undefined): number {
  return (entry && categories[entry.category]) ?? getExitCodeByStatus(entry?.status ?? status);
}

/** Codes of network failures that can pass without a change of the settings. Any other lasts: a certificate, a host name, a protocol. */
const temporaryCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'STILL_REFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'TIMEOUT',
  'PROXY_UNAVAILABLE',
  // A stream of events that ended early.
  'NETWORK',
]);

/** The exit code of a request without a response that cannot have taken effect. */
export function getNetworkExitCode(code: string): number {
  return temporaryCodes.has(code) ? 75 : 70;
}

/** Statuses that a repetition does not change: not implemented, version not supported, sign-in to the network. */
const permanentFailures: readonly number[] = [501, 505, 511];

const exitCodesByStatus: Readonly<Record<number, number>> = {
  401: 4,
  403: 5,
  404: 3,
  408: 75,
  409: 6,
  412: 6,
  // Too Early (RFC 8470, 5.2): the request was not processed.
  425: 75,
  429: 75,
};
const validationStatuses: readonly number[] = [400, 413, 415, 417, 422, 431];

function getExitCodeByStatus(status: number): number {
  if (validationStatuses.includes(status)) return 7;
  return exitCodesByStatus[status] ?? (status >= 500 && !permanentFailures.includes(status) ? 75 : 70);
}
