/**
 * What bulk is given by the command around it. Its own code is a file of its own in the bundle, where classes of errors
 * would be others than those that the command knows: so they are made, and told apart, here.
 */

import { ClientError, InputError, NetworkError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { CommandOptions } from '../command.ts';
import { getOperation } from '../find-operation.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import { errorEntryOf } from '../runtime/error-entries.ts';
import { CliError, type CliErrorOptions, unreadableFileError, usageError } from '../runtime/errors.ts';
import { getExitCode } from '../runtime/exit-codes.ts';
import { withFileLock } from '../runtime/private-files.ts';
import { readMaxWait } from '../runtime/retry.ts';
import { assertChangeLimit } from '../runtime/safety.ts';
import { assertConfirmed, type ConfirmOptions, previewOf, withoutSecrets } from '../send.ts';

/** A call that failed. */
export interface CallFailure {
  /** `unsent`: nothing left. `unanswered`: whether it arrived is not known. `refused`: an answer came. */
  readonly kind: 'unsent' | 'unanswered' | 'refused';
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds to wait, where the server asks for it. */
  readonly retryAfter?: number | undefined;
  readonly exitCode: number;
}

export interface BulkDeps {
  readonly context: Context;
  readonly server: string;
  /** Milliseconds that a row may wait for a busy server. */
  readonly maxWait: number;
  findOperation(id: string): ManifestOperation;
  /** Calls once; what is under way is not broken off by an interruption. */
  call(operation: ManifestOperation, input: CallInput): Promise<ApiResponse>;
  /** What a call failed of; nothing where it is not a call that failed. */
  classifyError(error: unknown): CallFailure | undefined;
  /** What a row would send, with secrets left out. */
  preview(operation: ManifestOperation, input: CallInput): object;
  requireSignIn(): void;
  usage(message: string, hint?: string, lines?: readonly string[]): Error;
  unreadable(file: string, error: unknown): Error;
  failure(message: string, details: CliErrorOptions): Error;
  /** Asks yes or no, or for a name to be typed where that is too little; throws where it is no. */
  confirm(question: string, options: CommandOptions, stdinIsData: boolean, severity?: ConfirmOptions): Promise<void>;
  /** Throws where one command may not make so many changes. */
  requireChanges(count: number): void;
  underLock<Result>(lockFile: string, work: () => Promise<Result>): Promise<Result>;
}

/** The tools of a run. */
export function createBulkDeps(context: Context): BulkDeps {
  return {
    context,
    server: resolveBaseUrl(context.sources),
    maxWait: readMaxWait(context.sources),
    findOperation: (id) => getOperation(context.manifest, id),
    call: async (operation, input) => (await context.connect()).call(operation.id, input),
    classifyError: (error) => classifyError(context, error),
    preview: (operation, input) => withoutSecrets(context, previewOf(context, operation, input)),
    requireSignIn: () => void requireSendableCredentials(context.sources),
    usage: usageError,
    unreadable: unreadableFileError,
    failure: (message, details) => new CliError(message, details),
    confirm: (...args) => assertConfirmed(context, ...args),
    requireChanges: (count) => assertChangeLimit(context.sources, count),
    underLock: withFileLock,
  };
}

const notSentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

function classifyError({ manifest }: Context, error: unknown): CallFailure | undefined {
  if (error instanceof NetworkError) {
    const kind = notSentCodes.includes(error.code) ? 'unsent' : 'unanswered';
    return { kind, code: 'NETWORK', message: error.message, exitCode: 75 };
  }
  // What the command itself does not allow, such as a call that nobody is signed in for.
  if (error instanceof CliError) {
    const { code, message, exitCode } = error;
    return { kind: 'unsent', code, message, exitCode };
  }
  if (error instanceof InputError) return { kind: 'refused', code: 'INVALID', message: error.message, exitCode: 2 };
  if (!(error instanceof ClientError)) return undefined;
  const { code, message, status, requestId, retryAfter } = error;
  const exitCode = getExitCode(status, errorEntryOf(manifest, code));
  // A proxy that got no answer does not know more than a connection that broke.
  const kind = status === 502 || status === 504 ? 'unanswered' : 'refused';
  return { kind, code, message, status, requestId, retryAfter, exitCode };
}
