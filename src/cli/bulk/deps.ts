/**
 * Dependencies of bulk runs. The bulk code is a separate bundle file with its own copies of the error classes, so
 * errors are created and classified here.
 */

import { ClientError, InputError, NetworkError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { assertChangeLimit } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { CliError, type CliErrorOptions, errorEntryOf, unreadableFileError, usageError } from '../errors.ts';
import { getExitCode } from '../exit-codes.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../http/connection.ts';
import { readMaxWait } from '../http/retry.ts';
import { withFileLock } from '../io/private-files.ts';
import { assertConfirmed, type ConfirmOptions } from '../request/confirm.ts';
import { getOperation } from '../request/find-operation.ts';
import { previewOf, withoutSecrets } from '../request/preview.ts';

/** A failed request. */
export interface CallFailure {
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

export interface BulkDeps {
  readonly context: Context;
  readonly server: string;
  /** Maximum milliseconds that a row waits for a busy server. */
  readonly maxWait: number;
  findOperation(id: string): ManifestOperation;
  /** Sends one request. An interruption does not abort it. */
  call(operation: ManifestOperation, input: CallInput): Promise<ApiResponse>;
  /** Classifies a request error; undefined for any other error. */
  classifyError(error: unknown): CallFailure | undefined;
  /** Returns the request of a row without secrets. */
  preview(operation: ManifestOperation, input: CallInput): object;
  requireSignIn(): void;
  usage(message: string, hint?: string, lines?: readonly string[]): Error;
  unreadable(file: string, error: unknown): Error;
  failure(message: string, details: CliErrorOptions): Error;
  /** Prompts for confirmation, or for a name to be typed. @throws CliError if it is denied */
  confirm(question: string, options: CommandOptions, stdinIsData: boolean, severity?: ConfirmOptions): Promise<void>;
  /** @throws CliError if the count exceeds the limit of max-changes */
  requireChanges(count: number): void;
  underLock<Result>(lockFile: string, work: () => Promise<Result>): Promise<Result>;
}

/** Creates the dependencies of a run. */
export function createBulkDeps(context: Context): BulkDeps {
  return {
    context,
    server: resolveBaseUrl(context.settings),
    maxWait: readMaxWait(context.settings),
    findOperation: (id) => getOperation(context.manifest, id),
    call: async (operation, input) => (await context.connect()).call(operation.id, input),
    classifyError: (error) => classifyError(context, error),
    preview: (operation, input) => withoutSecrets(context, previewOf(context, operation, input)),
    requireSignIn: () => void requireSendableCredentials(context.settings),
    usage: usageError,
    unreadable: unreadableFileError,
    failure: (message, details) => new CliError(message, details),
    confirm: (...args) => assertConfirmed(context, ...args),
    requireChanges: (count) => assertChangeLimit(context.settings, count),
    underLock: withFileLock,
  };
}

const notSentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

function classifyError({ manifest }: Context, error: unknown): CallFailure | undefined {
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
  const exitCode = getExitCode(status, errorEntryOf(manifest, code));
  // A gateway error does not show whether the request was applied.
  const kind = status === 502 || status === 504 ? 'unanswered' : 'rejected';
  return { kind, code, message, status, requestId, retryAfter, exitCode };
}
