/** Whether standard output took what was written. */
import { CliError } from '../errors.ts';
import { describeReason } from './file-errors.ts';
import type { Io } from './io.ts';

/** Waits until all was written. @returns why some was not: a full disk, or a reader that has closed the stream */
export async function findOutputFailure({ stdout }: Pick<Io, 'stdout'>): Promise<Error | undefined> {
  if (stdout.writable) await new Promise<void>((resolve) => void stdout.write('', () => resolve()));
  if (stdout.errored) return stdout.errored;
  return stdout.destroyed ? closedError() : undefined;
}

/** Like `findOutputFailure`, for a secret, which the null device in place of standard output loses. */
export async function findSecretOutputFailure(io: Pick<Io, 'stdout' | 'isStdoutNull'>): Promise<Error | undefined> {
  return (await findOutputFailure(io)) ?? (io.isStdoutNull?.() === true ? closedError() : undefined);
}

function closedError(): Error {
  return Object.assign(new Error('closed'), { code: 'EPIPE' });
}

/** A reader that has seen enough, as in `iam groups list | head`, is no error. */
export function isBrokenPipe(failure: Error): boolean {
  return (failure as NodeJS.ErrnoException).code === 'EPIPE';
}

/** @param done what the command did before, as a sentence */
export function outputError(failure: Error, done?: string, hint?: string): CliError {
  const reason = isBrokenPipe(failure) ? 'standard output is closed' : describeReason(failure);
  const message = `Cannot write the output: ${reason}.`;
  return new CliError(done === undefined ? message : `${done} ${message}`, {
    ...{ code: 'OUTPUT_NOT_WRITTEN', exitCode: 70, hint, cause: failure },
  });
}
