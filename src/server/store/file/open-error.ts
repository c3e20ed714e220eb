export type StoreOpenErrorKind =
  /** The folder is not empty and has no store marker. */
  | 'not-ours'
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
  /** A system error when reading or writing. */
  | 'io';

/** The exit code of a command that can't open the store. */
export const openExitCodes: Readonly<Record<StoreOpenErrorKind, number>> = {
  'not-ours': 12,
  'in-use': 13,
  'no-lock': 70,
  damaged: 14,
  foreign: 14,
  'newer-format': 14,
  io: 70,
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
  /** The file or folder. */
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

/** Creates the error for a damaged file. */
export function createDamagedError(file: string, offset: number, what: string): StoreOpenError {
  const message = `${file}: ${what} (byte ${offset}). Nothing was changed. Restore the store's folder from a backup.`;
  return new StoreOpenError('damaged', message, { file, offset, what });
}

/** Creates the error for a file of a newer format. */
export function createNewerFormatError(file: string, what: string): StoreOpenError {
  const message = `${file}: ${what}, written by a newer version of this program. Use that version, or another folder.`;
  return new StoreOpenError('newer-format', message, { file });
}
