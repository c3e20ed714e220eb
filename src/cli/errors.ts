/** Errors of the command line itself, and the error table of the server; errors of the service are client errors. */
import { ClientError } from '../client/errors.ts';
import type { ErrorCategory } from '../contract/error-codes.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { Manifest, ManifestError } from '../contract/manifest-types.ts';

export interface CliErrorOptions {
  readonly code: string;
  readonly exitCode: number;
  /** What to do next. */
  readonly hint?: string | undefined;
  /** Lines after the message. Line breaks within the message or a line are data and are escaped. */
  readonly lines?: readonly string[] | undefined;
  /** The data of the error, for programs. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** The error of the system. */
  readonly cause?: unknown;
}

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string;
  readonly exitCode: number;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** The message and the lines after it. */
  readonly lines: readonly string[];

  constructor(message: string, { code, exitCode, hint, lines = [], details, cause }: CliErrorOptions) {
    const all = [message, ...lines];
    // On one line, so that it fits a cell, a notice or another message.
    super(all.map((line) => line.trim()).join(' '), { cause });
    this.lines = all;
    this.code = code;
    this.exitCode = exitCode;
    this.hint = hint;
    this.details = details;
  }
}

/** What is known about a write whose outcome is unknown. */
interface UnknownOutcome {
  /** The command that shows whether it took effect. */
  readonly check: string;
  /** Whether it deletes something, which the command then still shows. */
  readonly isDelete: boolean;
  /** The response that does not tell; none if the answer was not seen. */
  readonly response?: ClientError | undefined;
  readonly message: string;
  readonly cause: unknown;
}

/** A write was sent, and whether it took effect is not known (exit 76). */
export class UnknownOutcomeError extends CliError {
  readonly check: string;
  readonly response: ClientError | undefined;

  constructor({ check, isDelete, response, message, cause }: UnknownOutcome) {
    super(message, {
      code: response?.code ?? unknownOutcomeCode,
      exitCode: 76,
      hint: isDelete
        ? `It may be deleted already. See what is left with \`${check}\` before you send it again.`
        : `It may have taken effect. See whether it was made with \`${check}\` before you send it again.`,
      details: { ...response?.details, check },
      cause,
    });
    this.check = check;
    this.response = response;
  }
}

/** Ends the run with an exit code and no message, because the command printed the result. */
export class QuietExit extends Error {
  override readonly name = 'QuietExit';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Ends the run with help that is loaded on demand. */
export class DeferredHelp extends Error {
  override readonly name = 'DeferredHelp';
  readonly print: () => Promise<void>;

  constructor(print: () => Promise<void>) {
    super('help');
    this.print = print;
  }
}

/** The user canceled a prompt with Ctrl-C. */
export class PromptCanceledError extends Error {
  override readonly name = 'PromptCanceledError';
}

/** The code of a write whose outcome neither the server nor the command knows. */
const unknownOutcomeCode: ErrorCode = 'OUTCOME_UNKNOWN';

/** An invalid command line (exit 2); nothing was sent. */
export function usageError(message: string, hint?: string, lines?: readonly string[]): CliError {
  return new CliError(message, { code: 'USAGE', exitCode: 2, hint, lines });
}

/** A value is required and prompts are not possible (exit 10). */
export function inputNeededError(message: string, hint: string): CliError {
  return new CliError(message, { code: 'INPUT_NEEDED', exitCode: 10, hint });
}

/** The code of an expression of `--query` that does not fit the result. */
export const queryFailedCode = 'QUERY_FAILED';
/** `--columns` does not fit the result. */
export const columnUnknownCode = 'COLUMN_UNKNOWN';

/** For a response that is not one of the service. */
export const otherServerHint =
  'Another server may have answered, such as the sign-in page of a network. Check --base-url, the proxy and the network.';

/** The code of missing or invalid credentials. */
export const signInNeededCode = 'SIGN_IN_NEEDED';

/** Credentials are missing or not valid (exit 4). */
export function signInNeededError(message: string, hint: string): CliError {
  return new CliError(message, { code: signInNeededCode, exitCode: 4, hint });
}

/** The control plane rejected a request. The server keeps no explanation of it for `iam why`. */
export class ControlPlaneError extends ClientError {}

/** A rejected request whose next step depends on the command. */
export class HintedClientError extends ClientError {
  /** By default that of the table of errors. */
  readonly hint: string | undefined;

  constructor(error: ClientError, hint: string | undefined) {
    super(error);
    this.hint = hint;
  }
}

/** The part of the manifest that has the error table. It is loaded on first use, so pass it on unread. */
export type ErrorTable = Pick<Manifest, 'errors'>;

/** The entry of a code; undefined for a code of a newer server or a proxy. */
export function errorEntryOf(table: ErrorTable, code: string): ManifestError | undefined {
  return table.errors.find((entry) => entry.code === code);
}

/** The category of a rejected request; undefined for other failures and for unknown codes. */
export function categoryOf(table: ErrorTable, error: unknown): ErrorCategory | undefined {
  return error instanceof ClientError ? errorEntryOf(table, error.code)?.category : undefined;
}
