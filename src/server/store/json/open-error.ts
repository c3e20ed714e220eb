export type StoreOpenErrorKind =
  /** The folder holds something, and nothing says that it is a store. */
  | 'not-ours'
  /** Another process has the store open. */
  | 'in-use'
  /** A file is not as it was written, or is missing. */
  | 'damaged'
  /** A newer version of this program wrote it. */
  | 'newer-format'
  /** The system refuses to read or write. */
  | 'io';

/** The exit code of a command that is refused the store for this reason. */
export const openExitCodes: Readonly<Record<StoreOpenErrorKind, number>> = {
  'not-ours': 12,
  'in-use': 13,
  damaged: 14,
  'newer-format': 14,
  io: 1,
};

interface StoreOpenErrorDetails {
  readonly file?: string | undefined;
  readonly offset?: number | undefined;
  readonly pid?: number | undefined;
  readonly what?: string | undefined;
  readonly cause?: unknown;
}

/** Why a store could not be opened. The message is one line and says what to do next. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
  readonly kind: StoreOpenErrorKind;
  /** The file, or the folder, that it is about. */
  readonly file: string | undefined;
  /** The first byte in the file that is not as it should be. */
  readonly offset: number | undefined;
  /** The process that has the store open. */
  readonly pid: number | undefined;
  /** What is wrong with the file, and no more. */
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

/** A file that is not as it was written. Nothing is repaired by guessing. */
export function createDamagedError(file: string, offset: number, what: string): StoreOpenError {
  const message = `${file}: ${what} (byte ${offset}). Nothing was changed. Restore the store's folder from a backup.`;
  return new StoreOpenError('damaged', message, { file, offset, what });
}

/** A file that was written by a version of the program that is newer than this one. */
export function createNewerFormatError(file: string, what: string): StoreOpenError {
  const message = `${file}: ${what}, from a newer version of this program. Start that version, or use another folder.`;
  return new StoreOpenError('newer-format', message, { file });
}
