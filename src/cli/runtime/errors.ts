/** Failures of the command line itself; those of the service come as the client's errors. */

export interface CliErrorOptions {
  readonly code: string;
  readonly exitCode: number;
  /** What to do next. */
  readonly hint?: string | undefined;
  /** Lines that follow the message. A line break within the message or one of these is data, and is escaped. */
  readonly lines?: readonly string[] | undefined;
}

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string;
  readonly exitCode: number;
  readonly hint: string | undefined;
  /** The message, line by line. */
  readonly lines: readonly string[];

  constructor(message: string, { code, exitCode, hint, lines = [] }: CliErrorOptions) {
    const all = [message, ...lines];
    super(all.join('\n'));
    this.lines = all;
    this.code = code;
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** Ends the run with this code and without a word more: everything was said already. */
export class QuietExit extends Error {
  override readonly name = 'QuietExit';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** What was typed makes no call; nothing was sent. */
export function usageError(message: string, hint?: string, lines?: readonly string[]): CliError {
  return new CliError(message, { code: 'USAGE', exitCode: 2, hint, lines });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  EACCES: 'its rights do not allow it',
};

/** A file that was named can't be read; `origin` tells who named it, where that is not the command line. */
export function unreadableFileError(file: string, error: unknown, origin?: string): CliError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const named = origin === undefined ? file : `${file} (${origin})`;
  return usageError(`${named} can't be read: ${reasons[code] ?? (code || message)}.`);
}

/** Somebody would have to answer, and nobody can. */
export function inputNeededError(message: string, hint: string): CliError {
  return new CliError(message, { code: 'INPUT_NEEDED', exitCode: 10, hint });
}

/** There is nothing to sign in with. */
export function signInNeededError(message: string, hint: string): CliError {
  return new CliError(message, { code: 'SIGN_IN_NEEDED', exitCode: 4, hint });
}
