/** Classifies the error of a request by what it means for the row: whether the server may have applied it. */
import { ClientError, InputError, NetworkError } from '../../client/errors.ts';
import { CliError, type ErrorTable, errorEntryOf } from '../errors.ts';
import { getExitCode } from '../exit-codes.ts';

/** A failed request. */
export interface RequestFailure {
  /** `unsent`: the request was not sent. `unanswered`: it may have been applied. `rejected`: the server rejected it. */
  readonly kind: 'unsent' | 'unanswered' | 'rejected';
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds of the Retry-After header. */
  readonly retryAfter?: number | undefined;
  readonly exitCode: number;
}

const notSentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Classifies a request error; undefined for any other error. */
export function classifyRequestError(table: ErrorTable, error: unknown): RequestFailure | undefined {
  if (error instanceof NetworkError) {
    const kind = notSentCodes.includes(error.code) ? 'unsent' : 'unanswered';
    return { kind, code: 'NETWORK', message: error.message, exitCode: 75 };
  }
  // Errors of the CLI itself, such as a missing sign-in.
  if (error instanceof CliError) {
    const { code, message, exitCode } = error;
    return { kind: 'unsent', code, message, exitCode };
  }
  if (error instanceof InputError) return { kind: 'rejected', code: 'INVALID', message: error.message, exitCode: 2 };
  if (!(error instanceof ClientError)) return undefined;
  const { code, message, status, requestId, retryAfter } = error;
  const entry = errorEntryOf(table, code);
  const exitCode = getExitCode(status, entry);
  // A gateway error does not show whether the request was applied.
  const isUnknown = status === 502 || status === 504 || entry?.category === 'outcome-unknown';
  const kind = isUnknown ? 'unanswered' : 'rejected';
  return { kind, code, message, status, requestId, retryAfter, exitCode };
}
