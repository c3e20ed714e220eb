/** Errors of the operating system on files: one line with the path and the reason, and the next step. */
import { TextFileError } from '../../lib/text-file.ts';
import { CliError, usageError } from '../errors.ts';

interface Reason {
  readonly reason: string;
  readonly hint?: string;
  /** In place of the hint, for a file that the command line names. */
  readonly namedHint?: string;
}

const permissionHint = 'Check the owner and the mode of the file and its folders.';
const space = { hint: 'Free space.', namedHint: 'Free space, or name a file on another file system.' };
const descriptorHint = 'Raise the limit with `ulimit -n`.';

/** The codes of errno(3) that files cause. */
const reasons: Readonly<Record<string, Reason>> = {
  ENOENT: { reason: 'file not found' },
  ENOTDIR: { reason: 'a component of the path is not a folder' },
  EISDIR: { reason: 'it is a folder, not a file' },
  EEXIST: { reason: 'the file already exists' },
  EACCES: { reason: 'permission denied', hint: permissionHint },
  EPERM: { reason: 'operation not permitted', hint: permissionHint },
  ENOSPC: { reason: 'no space left on the device', ...space },
  EDQUOT: { reason: 'the disk quota is exceeded', ...space },
  EFBIG: { reason: 'the file is too large', ...space },
  EROFS: { reason: 'the file system is read-only', namedHint: 'Name a file on another file system.' },
  EMFILE: { reason: 'too many open files', hint: descriptorHint },
  ENFILE: { reason: 'too many open files', hint: descriptorHint },
  ELOOP: { reason: 'too many symbolic links', hint: 'The links refer to each other; correct them.' },
  ENAMETOOLONG: { reason: 'the name is too long' },
  EIO: { reason: 'input or output error', hint: 'Check the disk and the system log.' },
};

/** System calls whose errors have codes of files, such as EACCES, and are about processes, ports or terminals. */
const otherCalls = /^(spawn|kill|listen|bind|connect|accept|getaddrinfo|query|uv_)/;

/** Whether an error comes from a system call on a file. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof syscall !== 'string' || otherCalls.test(syscall)) return false;
  return code !== undefined && Object.hasOwn(reasons, code);
}

/** The reason of a failed write to a stream. */
export function describeReason(error: Error): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code]?.reason ?? message;
}

function reasonOf(error: unknown): Reason {
  if (error instanceof TextFileError) return { reason: `it ${error.reason}`, hint: error.hint };
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? { reason: code || message };
}

/** A file cannot be read (exit 2); `origin` is the setting that names it, if not the command line. */
export function unreadableFileError(file: string, error: unknown, origin?: string): CliError {
  const { reason, hint } = reasonForNamed(error);
  const source = origin === undefined ? file : `${file} (${origin})`;
  return new CliError(`Cannot read ${source}: ${reason}.`, { code: 'USAGE', exitCode: 2, hint, cause: error });
}

/** A file that the command line names cannot be created (exit 2). */
export function uncreatableFileError(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { reason, hint } = reasonForWrite(error);
  return usageError(`Cannot create ${file}: ${reason}.`, hint);
}

/** A file cannot be written (exit 70). Other errors than those of files are returned unchanged. */
export function unwritableFileError(file: string, error: unknown): unknown {
  if (!isFileError(error)) return error;
  const { reason, hint } = reasonForWrite(error);
  return new CliError(`Cannot write ${file}: ${reason}.`, { code: 'FILE_NOT_WRITTEN', exitCode: 70, hint });
}

function reasonForWrite(error: unknown): Reason {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // A recursive mkdir reports a file in the path as EEXIST.
  if (code === 'EEXIST' && syscall === 'mkdir') return { reason: 'a component of the path is not a folder' };
  return code === 'ENOENT'
    ? { reason: 'its folder does not exist', hint: 'Create the folder.' }
    : reasonForNamed(error);
}

function reasonForNamed(error: unknown): Reason {
  const { namedHint, ...reason } = reasonOf(error);
  return namedHint === undefined ? reason : { ...reason, hint: namedHint };
}

/** Any other error of a system call on a file, with its path if the system names it. */
export function describeFileError(error: NodeJS.ErrnoException): { readonly message: string; readonly hint?: string } {
  const { reason, hint } = reasonOf(error);
  const target = error.path === undefined ? 'a file' : error.path;
  const message = `Cannot access ${target}: ${reason} (${error.syscall}).`;
  return hint === undefined ? { message } : { message, hint };
}
