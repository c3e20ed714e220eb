/**
 * What bulk is given by the command around it. Its own code is a file of its own in the bundle, where classes of errors
 * would be others than those that the command knows: so they are made, and told apart, here.
 */
import type { Answer } from '../../client/answer.ts';
import { ClientError, InputError, NetworkError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { Options } from '../leaf.ts';
import { operationOf } from '../operations.ts';
import { baseUrlOf, requireSignIn } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import { errorEntryOf } from '../runtime/error-entries.ts';
import { exitCodeOf } from '../runtime/exit-codes.ts';
import { CliError, type FailureDetails, unreadable, usageError } from '../runtime/failures.ts';
import { underLock } from '../runtime/files.ts';
import { maxWaitOf } from '../runtime/retry.ts';
import { requireChanges } from '../runtime/safety.ts';
import { confirmed, planOf, type Severity, withoutSecrets } from '../send.ts';

/** A call that failed. */
export interface Problem {
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

export interface BulkTools {
  readonly context: Context;
  readonly server: string;
  /** Milliseconds that a row may wait for a busy server. */
  readonly maxWait: number;
  find(id: string): ManifestOperation;
  /** Calls once; what is under way is not broken off by an interruption. */
  call(operation: ManifestOperation, input: CallInput): Promise<Answer>;
  /** What a call failed of; nothing where it is not a call that failed. */
  problemOf(error: unknown): Problem | undefined;
  /** What a row would send, with secrets left out. */
  plan(operation: ManifestOperation, input: CallInput): object;
  requireSignIn(): void;
  usage(message: string, fix?: string, lines?: readonly string[]): Error;
  unreadable(file: string, error: unknown): Error;
  failure(message: string, details: FailureDetails): Error;
  /** Asks yes or no, or for a name to be typed where that is too little; throws where it is no. */
  confirm(question: string, options: Options, stdinIsData: boolean, severity?: Severity): Promise<void>;
  /** Throws where one command may not make so many changes. */
  requireChanges(count: number): void;
  underLock<Result>(lockFile: string, work: () => Promise<Result>): Promise<Result>;
}

/** The tools of a run. */
export function bulkTools(context: Context): BulkTools {
  return {
    context,
    server: baseUrlOf(context.sources),
    maxWait: maxWaitOf(context.sources),
    find: (id) => operationOf(context.manifest, id),
    call: async (operation, input) => (await context.connect()).call(operation.id, input),
    problemOf: (error) => problemOf(context, error),
    plan: (operation, input) => withoutSecrets(context, planOf(context, operation, input)),
    requireSignIn: () => void requireSignIn(context.sources),
    usage: usageError,
    unreadable,
    failure: (message, details) => new CliError(message, details),
    confirm: (...asked) => confirmed(context, ...asked),
    requireChanges: (count) => requireChanges(context.sources, count),
    underLock,
  };
}

const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

function problemOf({ manifest }: Context, error: unknown): Problem | undefined {
  if (error instanceof NetworkError) {
    const kind = neverSent.includes(error.code) ? 'unsent' : 'unanswered';
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
  const exitCode = exitCodeOf(status, errorEntryOf(manifest, code));
  // A proxy that got no answer does not know more than a connection that broke.
  const kind = status === 502 || status === 504 ? 'unanswered' : 'refused';
  return { kind, code, message, status, requestId, retryAfter, exitCode };
}
