/**
 * Text files and standard input: UTF-8, or UTF-16 with a byte order mark, as PowerShell and spreadsheets write it. The
 * length is bounded while reading, as a name can be that of a device or a pipe. Command and server share it.
 */
import { closeSync, constants, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';

/** Keys and certificates fit, too. */
export const maxSecretBytes = 64 * 1024;
/** As long as the largest request body, a dump of the state. */
export const maxTextBytes = 64 * 1024 * 1024;
/** Rows are read one by one, from a private copy. */
export const maxRowBytes = 256 * 1024 * 1024;

/** A file that is not text, or is too long. */
export class TextFileError extends Error {
  override readonly name = 'TextFileError';
  /** Follows the name of the file: `is not valid UTF-8 (line 3, column 5)`. */
  readonly reason: string;
  /** What to do, as a sentence. */
  readonly hint: string;

  constructor(reason: string, hint: string) {
    super(`It ${reason}. ${hint}`);
    this.reason = reason;
    this.hint = hint;
  }
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Decodes bytes in the order they arrive. */
export class TextReader {
  readonly #maxBytes: number;
  #byteCount = 0;
  #encoding: Encoding | undefined;
  /** The start of a character or of the text. */
  #rest: Buffer = Buffer.alloc(0);
  /** Whether lines end with carriage returns alone, as on old Macs; undefined before the first line break. */
  #hasReturns: boolean | undefined;
  /** A carriage return at the end, which can be half of a line break. */
  #pending = '';
  /** Where the next character is. */
  #line = 1;
  #column = 1;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws TextFileError */
  decode(chunk: Uint8Array): string {
    this.#byteCount += chunk.length;
    assertLength(this.#byteCount, this.#maxBytes);
    return this.#decode(Buffer.concat([this.#rest, chunk]), false);
  }

  /** The text of an incomplete end. @throws TextFileError */
  end(): string {
    return this.#decode(this.#rest, true);
  }

  #decode(bytes: Buffer, isLast: boolean): string {
    if (this.#encoding === undefined && bytes.length < signatureLength && !isLast) {
      this.#rest = bytes;
      return '';
    }
    const [encoding, start] = this.#encoding === undefined ? readStart(bytes) : [this.#encoding, 0];
    this.#encoding = encoding;
    const end = isLast ? bytes.length : findCompleteLength(bytes, encoding);
    this.#rest = bytes.subarray(end);
    const text = this.#normalizeBreaks(this.#decodeCharacters(bytes.subarray(start, end), encoding), isLast);
    const zero = text.indexOf('\0');
    if (zero < 0) this.#advance(text);
    else throw this.#createError('is not text: it has U+0000', text.slice(0, zero));
    return text;
  }

  #decodeCharacters(bytes: Buffer, encoding: Encoding): string {
    try {
      return decodeStrictly(bytes, encoding);
    } catch {
      const before = this.#normalizeBreaks(decodeValidStart(bytes, encoding), true);
      throw this.#createError(`is not valid ${encoding.slice(0, 6).toUpperCase()}`, before);
    }
  }

  /** Replaces line breaks only in texts whose first line ends with a carriage return alone: others can have it in a cell. */
  #normalizeBreaks(decoded: string, isLast: boolean): string {
    if (this.#hasReturns === false) return decoded;
    const all = this.#pending + decoded;
    const isPending = !isLast && all.endsWith('\r');
    const text = isPending ? all.slice(0, -1) : all;
    this.#pending = isPending ? '\r' : '';
    const [firstBreak] = /\r\n|\n|\r/.exec(text) ?? [];
    this.#hasReturns ??= firstBreak === undefined ? undefined : firstBreak === '\r';
    if (this.#hasReturns) return text.replace(/\r(?!\n)/g, '\n');
    if (this.#hasReturns === undefined) return text;
    const rest = this.#pending;
    this.#pending = '';
    return text + rest;
  }

  #createError(problem: string, before: string): TextFileError {
    this.#advance(before);
    return new TextFileError(
      `${problem} (line ${this.#line}, column ${this.#column})`,
      'Save it as UTF-8 ("CSV UTF-8" in Excel), or as UTF-16 with a byte order mark.',
    );
  }

  #advance(text: string): void {
    const lastBreak = text.lastIndexOf('\n');
    this.#column = lastBreak < 0 ? this.#column + text.length : text.length - lastBreak;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line += 1;
  }
}

/** @throws TextFileError */
function assertLength(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const limit = maxBytes < 1024 * 1024 ? `${maxBytes / 1024} KiB` : `${maxBytes / 1024 / 1024} MiB`;
  throw new TextFileError(`is longer than the limit of ${limit}`, 'Name another file, or divide it.');
}

const signatureLength = 6;

const exportHint = 'Save it as text, in Excel as "CSV UTF-8"; of an archive, unpack it and name the file in it.';

/** Files that are no text, by their first bytes: what they are, and what to do. */
const binaryFiles: readonly (readonly [start: RegExp, reason: string, hint: string])[] = [
  [/^1f8b/, 'is compressed with gzip', 'Decompress it with gunzip.'],
  [/^425a683[1-9]3141/, 'is compressed with bzip2', 'Decompress it with bunzip2.'],
  [/^28b52ffd/, 'is compressed with Zstandard', 'Decompress it with unzstd.'],
  [/^fd377a585a00/, 'is compressed with xz', 'Decompress it with unxz.'],
  [/^377abcaf271c/, 'is a 7z archive, not text', 'Unpack it and name the file in it.'],
  // .xlsx and .ods are ZIP archives, .xls is OLE 2.
  [/^504b0(?:304|506|708)/, 'is a spreadsheet or a ZIP archive, not text', exportHint],
  [/^d0cf11e0/, 'is a spreadsheet, not text', exportHint],
];

/** The encoding of a text and the length of its byte order mark. @throws TextFileError */
function readStart(bytes: Buffer): readonly [Encoding, number] {
  const start = bytes.toString('hex', 0, signatureLength);
  for (const [signature, reason, hint] of binaryFiles) if (signature.test(start)) throw new TextFileError(reason, hint);
  if (start.startsWith('fffe')) return ['utf-16le', 2];
  if (start.startsWith('feff')) return ['utf-16be', 2];
  return ['utf-8', start.startsWith('efbbbf') ? 3 : 0];
}

/** The length without an incomplete character at the end. */
function findCompleteLength(bytes: Buffer, encoding: Encoding): number {
  const { length } = bytes;
  if (encoding === 'utf-8') {
    for (let back = 1; back <= Math.min(3, length); back += 1) {
      const byte = bytes[length - back] ?? 0;
      if ((byte & 0xc0) === 0x80) continue;
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return needed > back ? length - back : length;
    }
    return length;
  }
  const even = length - (length % 2);
  const high = bytes[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
  // The first half of a surrogate pair.
  return (high & 0xfc) === 0xd8 ? even - 2 : even;
}

/** @throws TypeError */
function decodeStrictly(bytes: Uint8Array, encoding: Encoding, stream = false): string {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream });
}

/** The text before the first byte that is not valid. */
function decodeValidStart(bytes: Buffer, encoding: Encoding): string {
  let [text, valid, invalid] = ['', 0, bytes.length + 1];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    try {
      text = decodeStrictly(bytes.subarray(0, middle), encoding, true);
      valid = middle;
    } catch {
      invalid = middle;
    }
  }
  return text;
}

/** Decodes a stream. @throws TextFileError */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  const reader = new TextReader(maxBytes);
  for await (const chunk of chunks) yield reader.decode(Buffer.from(chunk));
  yield reader.end();
}

/** Reads a stream to its end. @throws TextFileError */
export async function readTextStream(chunks: AsyncIterable<Uint8Array | string>, maxBytes: number): Promise<string> {
  let text = '';
  for await (const part of decodeText(chunks, maxBytes)) text += part;
  return text;
}

interface OpenText {
  readonly descriptor: number;
  /** What was in the pipe, if it is one: undefined if its writer has written nothing yet. */
  readonly pipe: { readonly start: Buffer | undefined } | undefined;
}

/**
 * Opens a file, which can be a pipe, such as that of `<(...)` in a shell. Opening a named pipe would wait for its writer, and
 * a process that waits in a system call handles no signal. @throws TextFileError; the error of the system
 */
function openText(file: string, maxBytes: number): OpenText {
  const stats = statSync(file);
  if (stats.isFile()) assertLength(stats.size, maxBytes);
  if (!stats.isFIFO()) return { descriptor: openSync(file, 'r'), pipe: undefined };
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const start = readAvailable(descriptor);
    if (start?.length !== 0) return { descriptor, pipe: { start } };
    throw new TextFileError('is a pipe to which nothing is written', 'Start what writes to it first, or name a file.');
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

const chunkBytes = 64 * 1024;

/** Reads what there is: nothing at the end. @returns undefined if the writer of a pipe has written nothing yet */
function readAvailable(descriptor: number): Buffer | undefined {
  const chunk = Buffer.alloc(chunkBytes);
  try {
    return chunk.subarray(0, readSync(descriptor, chunk, 0, chunkBytes, null));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/**
 * Opens a file, which can be a pipe, as a stream.
 * @param signal ends the read of a pipe
 * @throws TextFileError; the error of the system
 */
export async function openTextStream(file: string, maxBytes: number, signal?: AbortSignal): Promise<Readable> {
  const { descriptor, pipe } = openText(file, maxBytes);
  if (!pipe) return createReadStream(file, { fd: descriptor });
  const { Socket } = await import('node:net');
  const stream = new Socket({ fd: descriptor, readable: true, writable: false, ...(signal ? { signal } : {}) });
  if (pipe.start) stream.unshift(pipe.start);
  return stream;
}

/** Reads a file, which can be a pipe. @throws TextFileError; the error of the system; AbortError */
export async function readTextFile(file: string, maxBytes: number, signal?: AbortSignal): Promise<string> {
  return readTextStream(await openTextStream(file, maxBytes, signal), maxBytes);
}

const pauseMs = 10;

/** Reads a file at once, or a pipe to its end. @throws TextFileError; the error of the system */
export function readTextFileSync(file: string, maxBytes: number): string {
  const { descriptor, pipe } = openText(file, maxBytes);
  try {
    if (isatty(descriptor)) throw new TextFileError('is a terminal', 'Write the text to a file.');
    const reader = new TextReader(maxBytes);
    let text = '';
    for (let chunk = pipe?.start; chunk?.length !== 0; chunk = readAvailable(descriptor)) {
      if (chunk) text += reader.decode(chunk);
      else if (pipe) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
    return text + reader.end();
  } finally {
    closeSync(descriptor);
  }
}

/** The text without a line break at its end, which editors and `echo` add to a secret. */
export function withoutFinalBreak(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, '');
}

/** Reads the file of a secret. @throws TextFileError, also for several lines; the error of the system */
export function readSecretFile(file: string): string {
  const secret = parseSecret(readTextFileSync(file, maxSecretBytes));
  if (secret === undefined) throw new TextFileError('has several lines', 'Write the secret in one line.');
  return secret;
}

/** The only line of a text; undefined for several lines, or a second byte order mark. */
export function parseSecret(text: string): string | undefined {
  const secret = withoutFinalBreak(text);
  return /[\r\n\uFEFF]/.test(secret) ? undefined : secret;
}
