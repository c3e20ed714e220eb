/** Classifies the error of a request by what it means for the row: whether the server may have applied it. */
import { ClientError, InputError, NetworkError } from '../../client/errors.ts';
import { SeveralExistError } from '../create/if-not-exists.ts';
import { CliError, type ErrorTable, errorEntryOf, UnknownOutcomeError } from '../errors.ts';
import { getExitCode, getNetworkExitCode } from '../exit-codes.ts';
import { AmbiguousNameError } from '../request/resolve-names.ts';

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

/** Classifies a request error; undefined for any other error. */
export function classifyRequestError(table: ErrorTable, error: unknown): RequestFailure | undefined {
  if (error instanceof UnknownOutcomeError) {
    const { code, message, exitCode, response: { status, requestId } = {} } = error;
    return { kind: 'unanswered', code: status === undefined ? 'NETWORK' : code, message, status, requestId, exitCode };
  }
  // A write whose answer was lost is an unknown outcome, so this one was not sent.
  if (error instanceof NetworkError)
    return { kind: 'unsent', code: 'NETWORK', message: error.message, exitCode: getNetworkExitCode(error.code) };
  // Errors of the CLI itself: about the values of the row, or such as a missing sign-in.
  if (error instanceof CliError) {
    const { code, exitCode } = error;
    const isAmbiguous = error instanceof AmbiguousNameError;
    const message = isAmbiguous ? error.problem : error.message;
    const isOfRow = isAmbiguous || error instanceof SeveralExistError || exitCode === 2;
    return { kind: isOfRow ? 'rejected' : 'unsent', code, message, exitCode };
  }
  if (error instanceof InputError) return { kind: 'rejected', code: 'INVALID', message: error.message, exitCode: 2 };
  if (!(error instanceof ClientError)) return undefined;
  const { code, message, status, requestId, retryAfter } = error;
  const entry = errorEntryOf(table, code);
  const exitCode = getExitCode(status, entry);
  return { kind: 'rejected', code, message, status, requestId, retryAfter, exitCode };
}
