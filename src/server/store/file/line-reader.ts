/**
 * Reads a file line by line, in pieces: neither its size nor that of all its lines together is limited by that of a buffer,
 * and it is not held in memory besides its rows.
 */
import { crc32 } from 'node:zlib';
import type { ReadableFile } from './disk.ts';

const NEWLINE = 0x0a;

/** Few enough reads, and little memory. */
const PIECE_LENGTH = 1024 * 1024;

/** No longer line is written, as a text can't be longer. The rest of a longer one, which is damage, is skipped. */
const MAX_LINE_LENGTH = 1024 * 1024 * 1024;

export interface LineReaderLimits {
  readonly pieceLength?: number;
  readonly maxLineLength?: number;
}

export class LineReader {
  readonly #file: ReadableFile;
  readonly #pieceLength: number;
  readonly #maxLineLength: number;
  /** The bytes read, but not yet returned, which begin at `end`. */
  #buffered: Buffer = Buffer.alloc(0);
  #start: number;
  #end: number;
  #complete = true;

  /** @param position the start of the first line. */
  constructor(file: ReadableFile, position = 0, limits: LineReaderLimits = {}) {
    this.#file = file;
    this.#start = position;
    this.#end = position;
    this.#pieceLength = limits.pieceLength ?? PIECE_LENGTH;
    this.#maxLineLength = limits.maxLineLength ?? MAX_LINE_LENGTH;
  }

  /** The offset of the last line returned. */
  get start(): number {
    return this.#start;
  }

  /** The offset after the last line returned and its newline. */
  get end(): number {
    return this.#end;
  }

  /** Whether the last line returned ends with a newline and is not too long. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Returns the next line, without its newline; undefined at the end. Valid until the next call. */
  next(): Buffer | undefined {
    this.#start = this.#end;
    let searched = 0;
    for (;;) {
      const newline = this.#buffered.indexOf(NEWLINE, searched);
      if (newline >= 0) return this.#take(newline, newline + 1, true);
      searched = this.#buffered.length;
      if (searched > this.#maxLineLength) return this.#skipLine();
      if (this.#fill()) continue;
      return searched === 0 ? undefined : this.#take(searched, searched, false);
    }
  }

  #take(length: number, consumed: number, complete: boolean): Buffer {
    const line = this.#buffered.subarray(0, length);
    this.#buffered = this.#buffered.subarray(consumed);
    this.#end += consumed;
    this.#complete = complete;
    return line;
  }

  /** Returns the beginning of a line that is too long. */
  #skipLine(): Buffer {
    const beginning = this.#take(this.#buffered.length, this.#buffered.length, false);
    while (this.#fill()) {
      const newline = this.#buffered.indexOf(NEWLINE);
      const consumed = newline < 0 ? this.#buffered.length : newline + 1;
      this.#take(consumed, consumed, false);
      if (newline >= 0) break;
    }
    return beginning;
  }

  /** Reads at least as much again as is buffered, so that a long line is copied few times. @returns false at the end. */
  #fill(): boolean {
    const buffered = this.#buffered;
    const position = this.#end + buffered.length;
    const length = Math.min(Math.max(this.#pieceLength, buffered.length), this.#file.size - position);
    if (length <= 0) return false;
    const bytes = Buffer.allocUnsafe(buffered.length + length);
    buffered.copy(bytes);
    readFully(this.#file, bytes.subarray(buffered.length), position);
    this.#buffered = bytes;
    return true;
  }
}

/** Reads the bytes from `start` to `end`, which must fit in a buffer. */
export function readRange(file: ReadableFile, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  readFully(file, bytes, start);
  return bytes;
}

/** Reads the bytes from `start` to `end` in pieces. A piece is valid until the next one. */
export function* readSlices(
  file: ReadableFile,
  { start = 0, end = file.size, pieceLength = PIECE_LENGTH } = {},
): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(Math.min(pieceLength, Math.max(0, end - start)));
  for (let position = start; position < end; position += piece.length) {
    const bytes = piece.subarray(0, Math.min(piece.length, end - position));
    readFully(file, bytes, position);
    yield bytes;
  }
}

/** The CRC of the first `end` bytes. */
export function crcUntil(file: ReadableFile, end: number): number {
  let crc = 0;
  for (const bytes of readSlices(file, { end })) crc = crc32(bytes, crc);
  return crc;
}

/** A file that is in memory already. */
export function toReadableFile(bytes: Buffer): ReadableFile {
  return {
    size: bytes.length,
    readAt: (target, position) => bytes.copy(target, 0, position),
    close: async () => {},
  };
}

function readFully(file: ReadableFile, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = file.readAt(bytes.subarray(done), position + done);
    if (count <= 0) throw new Error('The file became shorter while it was read.');
    done += count;
  }
}
