/** Why a store cannot be opened, of each engine. */
import { types } from 'node:util';
import { OutcomeUnknownError, StoreBusyError, StoreUnavailableError } from './store.ts';

export type StoreOpenErrorKind =
  /** The folder or schema contains something else than a store of this version. */
  | 'not-ours'
  /** The folder belongs to another user of the machine, or others can write it. */
  | 'not-trusted'
  /** Another process has the store open. */
  | 'in-use'
  /** The store can't be locked here. */
  | 'no-lock'
  /** A file is damaged or missing. */
  | 'damaged'
  /** A file is of another store, or of a copy of the store with different later commits. */
  | 'foreign'
  /** Written by a newer version of this program. */
  | 'newer-format'
  /** The path that names a backup is not one of a file. */
  | 'no-backup'
  /** A system error when reading or writing, or a database that cannot be used as configured. */
  | 'io'
  /** The database is out of reach, or accepts no writes now: the same command can succeed later. */
  | 'unavailable';

/** The exit code of a command that can't open the store. */
export const openExitCodes: Readonly<Record<StoreOpenErrorKind, number>> = {
  'not-ours': 12,
  'not-trusted': 12,
  'in-use': 13,
  'no-lock': 70,
  damaged: 14,
  foreign: 14,
  'newer-format': 14,
  'no-backup': 2,
  io: 70,
  unavailable: 75,
};

interface StoreOpenErrorDetails {
  readonly file?: string | undefined;
  readonly offset?: number | undefined;
  readonly pid?: number | undefined;
  readonly what?: string | undefined;
  readonly cause?: unknown;
}

/** A store could not be opened. The message is one line and contains the next step. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
  readonly kind: StoreOpenErrorKind;
  readonly file: string | undefined;
  /** The offset of the first damaged byte. */
  readonly offset: number | undefined;
  /** The process that has the store open. */
  readonly pid: number | undefined;
  /** The damage, without file and hint. */
  readonly what: string | undefined;

  constructor(kind: StoreOpenErrorKind, message: string, details: StoreOpenErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.file = details.file;
    this.offset = details.offset;
    this.pid = details.pid;
    this.what = details.what;
  }
}

/** The error of a start on a database that became unavailable after it was opened; other errors are returned as they are. */
export function toInterruptedStartError(error: unknown): unknown {
  if (error instanceof OutcomeUnknownError)
    return new StoreOpenError(
      'unavailable',
      'The database did not confirm the first changes. Start again, with --reset-admin if no secrets are printed.',
      { cause: error },
    );
  if (error instanceof StoreBusyError)
    return new StoreOpenError('unavailable', 'Other servers made changes all the time during the start. Start again.', {
      cause: error,
    });
  if (!(error instanceof StoreUnavailableError)) return error;
  const reason = types.isNativeError(error.cause) ? error.cause.message : error.message;
  return new StoreOpenError(
    'unavailable',
    `The database became unavailable during the start: ${reason}. Start again.`,
    {
      cause: error,
    },
  );
}

export function createDamagedError(file: string, offset: number, what: string): StoreOpenError {
  const message = `${file}: ${what} (byte ${offset}). Nothing was changed. Restore the store's folder from a backup.`;
  return new StoreOpenError('damaged', message, { file, offset, what });
}

export function createNewerFormatError(file: string, what: string): StoreOpenError {
  const message = `${file}: ${what}, written by a newer version of this program. Use that version, or another folder.`;
  return new StoreOpenError('newer-format', message, { file });
}

/** Creates the error for a file of a format that no released version has written. */
export function createEarlyFormatError(file: string, what: string): StoreOpenError {
  const message = `${file}: ${what}, which is from before the first release and no longer read; use another folder.`;
  return new StoreOpenError('not-ours', message, { file });
}
