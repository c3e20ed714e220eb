/** What the exit code of the command says, and which failure has which. */
import type { ErrorCategory, ErrorEntry } from '../../contract/error-entry.ts';

export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

export const exitCodes: readonly ExitCode[] = [
  { code: 0, meaning: 'Done.' },
  { code: 1, meaning: 'Another failure; or no: of `iam can`, `diff` and `server status`.' },
  { code: 2, meaning: 'Wrong usage: a command, an option or a value. Nothing was sent.' },
  { code: 3, meaning: 'Not found.' },
  { code: 4, meaning: 'Sign-in needed: credentials are missing or not valid.' },
  { code: 5, meaning: 'Forbidden: the caller lacks a role.' },
  { code: 6, meaning: 'Conflict: changed meanwhile, a name is taken, or the state forbids it.' },
  { code: 7, meaning: 'Refused: the server does not take what was sent.' },
  { code: 8, meaning: 'Some rows of `iam bulk` failed.' },
  { code: 9, meaning: 'Changes are there to be made; only with --detailed-exitcode.' },
  { code: 10, meaning: 'An answer is needed and nobody can be asked. Nothing was sent.' },
  { code: 75, meaning: 'Try again later: too many calls, a fault of server or network, no answer.' },
  { code: 130, meaning: 'Interrupted.' },
  { code: 143, meaning: 'Terminated.' },
];

/** Codes that only `iam serve` ends with, and but for the port `iam store`. */
export const serveExitCodes: readonly ExitCode[] = [
  { code: 11, meaning: 'The port is taken.' },
  { code: 12, meaning: 'The folder holds something else than a store.' },
  { code: 13, meaning: 'The folder is in use by another server.' },
  { code: 14, meaning: 'The store is damaged.' },
];

/** Categories that decide whatever the status is. A reference to a missing object is 412 on some operations. */
const categories: Readonly<Partial<Record<ErrorCategory, number>>> = {
  changed: 6,
  taken: 6,
  'unknown-reference': 7,
  credentials: 4,
};

/**
 * The exit code for a rejected request. The entry of the error table decides where the code is known: a missing role
 * stays forbidden on operations that answer it with 401.
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
  return exitCodesByStatus[status] ?? (status >= 500 ? 75 : 1);
}
