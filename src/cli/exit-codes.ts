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
  { code: 8, meaning: 'Some rows failed, or several arguments failed for different reasons.' },
  { code: 9, meaning: 'Changes are pending; only with --detailed-exitcode.' },
  { code: 10, meaning: 'Input required in non-interactive mode. Nothing was sent.' },
  { code: 70, meaning: 'Other error, such as a file that cannot be written.' },
  { code: 75, meaning: 'Temporary failure: rate limit, server or network error. Try again later.' },
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
  'unknown-reference': 7,
  credentials: 4,
  'outcome-unknown': 76,
};

/**
 * The exit code of a rejected request. The error table takes precedence if the code is known: a missing role
 * is forbidden (5) also on operations that respond with 401.
 */
export function getExitCode(status: number, entry: Pick<ErrorEntry, 'status' | 'category'> | undefined): number {
  return (entry && categories[entry.category]) ?? getExitCodeByStatus(entry?.status ?? status);
}

const exitCodesByStatus: Readonly<Record<number, number>> = {
  401: 4,
  403: 5,
  404: 3,
  408: 75,
  409: 6,
  412: 6,
  429: 75,
};
const validationStatuses: readonly number[] = [400, 413, 415, 417, 422, 431];

function getExitCodeByStatus(status: number): number {
  if (validationStatuses.includes(status)) return 7;
  return exitCodesByStatus[status] ?? (status >= 500 ? 75 : 70);
}
