/** Every text file and standard input: encodings, byte order marks, line ends and limits. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  maxSecretBytes,
  parseSecret,
  readSecretFile,
  readTextFile,
  readTextFileSync,
  readTextStream,
  TextFileError,
} from '../../src/lib/text-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'iam-text-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(content: Uint8Array | string): string {
  const file = path.join(folder, 'file');
  writeFileSync(file, content);
  return file;
}

const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();
const mark = '\uFEFF';
const text = 'naïve "é" € 😀\r\nline 2\n';

/** What the reader makes of bytes, whatever the pieces they arrive in. */
async function read(bytes: Buffer, maxBytes = 1024): Promise<string> {
  const file = write(bytes);
  const readers = [
    async () => readTextFileSync(file, maxBytes),
    () => readTextFile(file, maxBytes),
    ...[1, 3, 7].map((size) => () => readTextStream(Readable.from(cut(bytes, size)), maxBytes)),
  ];
  const results = await Promise.all(
    readers.map((one) => one().catch((error: TextFileError) => `${error.reason}. ${error.hint}`)),
  );
  expect(new Set(results).size).toBe(1);
  return results[0] ?? '';
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe('a text', () => {
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(mark + text)],
    ['UTF-16 little-endian', Buffer.from(mark + text, 'utf16le')],
    ['UTF-16 big-endian', bigEndian(mark + text)],
  ])('is read as %s', async (_, bytes) => {
    expect(await read(bytes)).toBe(text);
  });

  test.each([
    ['', ''],
    [mark, ''],
    ['a', 'a'],
    [`${mark}${mark}a`, `${mark}a`],
    ['\ufffd', '\ufffd'],
    ['a\r', 'a\n'],
    ['a\rb\r\rc', 'a\nb\n\nc'],
    ['\r\ra', '\n\na'],
    ['a\rb\r\nc\rd', 'a\nb\r\nc\nd'],
    ['a\r\nb\rc\r', 'a\r\nb\rc\r'],
    ['a\n"b\rc"\r', 'a\n"b\rc"\r'],
  ])('%j is read as %j', async (content, expected) => {
    expect(await read(Buffer.from(content))).toBe(expected);
  });

  test.each([
    ['Latin-1', Buffer.from('a\nb\r\nf\u00fcr', 'latin1'), 'is not valid UTF-8 (line 3, column 2)'],
    ['Latin-1 after a replacement character', Buffer.from('\ufffd\n\u00fc').subarray(0, 5), 'line 2, column 1'],
    ['an incomplete character at the end', Buffer.from('ab€').subarray(0, 4), 'is not valid UTF-8 (line 1, column 3)'],
    ['an encoded surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 'is not valid UTF-8 (line 1, column 2)'],
    ['an overlong form', Buffer.from([0xc0, 0xaf]), 'is not valid UTF-8 (line 1, column 1)'],
    [
      'UTF-16 with a lone surrogate',
      Buffer.from('\uFEFFa\ud800b', 'utf16le'),
      'is not valid UTF-16 (line 1, column 2)',
    ],
    ['UTF-16 with an odd length', Buffer.from('\uFEFFab', 'utf16le').subarray(0, 5), 'is not valid UTF-16'],
    ['UTF-16 without a mark', Buffer.from('ab', 'utf16le'), 'is not text: it has U+0000 (line 1, column 2)'],
    ['big-endian UTF-16 without a mark', bigEndian('ab'), 'is not text: it has U+0000 (line 1, column 1)'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'is not text: it has U+0000'],
    [
      'Latin-1 after carriage returns',
      Buffer.from('a\rb\rf\u00fcr', 'latin1'),
      'is not valid UTF-8 (line 3, column 2)',
    ],
    ['U+0000', Buffer.from('a\nb\0'), 'is not text: it has U+0000 (line 2, column 2)'],
    ['a workbook', Buffer.from('504b0304140006', 'hex'), 'is a spreadsheet or a ZIP archive, not text'],
    ['a former workbook', Buffer.from('d0cf11e0a1b1', 'hex'), 'is a spreadsheet, not text'],
  ])('with %s is refused with its place', async (_, bytes, reason) => {
    expect(await read(bytes)).toContain(reason);
    expect(await read(bytes)).toMatch(/Save it as/);
  });

  test.each([
    ['gzip', gzipSync('text'), 'is compressed with gzip. Decompress it with gunzip.'],
    ['bzip2', Buffer.from('BZh91AY&SY'), 'is compressed with bzip2. Decompress it with bunzip2.'],
    ['Zstandard', Buffer.from('28b52ffd00', 'hex'), 'is compressed with Zstandard. Decompress it with unzstd.'],
    ['xz', Buffer.from('fd377a585a000004', 'hex'), 'is compressed with xz. Decompress it with unxz.'],
    ['7z', Buffer.from('377abcaf271c0004', 'hex'), 'is a 7z archive, not text. Unpack it and name the file in it.'],
    ['an empty archive', Buffer.from('504b050600', 'hex'), 'of an archive, unpack it and name the file in it.'],
  ])('of %s is refused with what to do', async (_, bytes, message) => {
    expect(await read(bytes)).toContain(message);
  });

  test('in pieces has the place of its error', async () => {
    const bytes = Buffer.concat([Buffer.from(`${'é'.repeat(70_000)}\n`.repeat(2)), Buffer.from([0x62, 0xff])]);
    await expect(readTextFile(write(bytes), 1024 * 1024)).rejects.toMatchObject({
      reason: 'is not valid UTF-8 (line 3, column 2)',
    });
  });
});

describe('the length', () => {
  test('can be the limit, and no more', async () => {
    expect(await read(Buffer.alloc(1024, 'a'))).toHaveLength(1024);
    expect(await read(Buffer.alloc(1025, 'a'))).toMatch(/^is longer than the limit of 1 KiB\./);
    const file = write(Buffer.alloc(2 * 1024 * 1024, 'a'));
    await expect(readTextFile(file, 1024 * 1024)).rejects.toThrow('is longer than the limit of 1 MiB.');
  });

  test.skipIf(process.platform === 'win32')('is bounded for devices, pipes and sparse files', async () => {
    const zero = '/dev/zero';
    expect(() => readTextFileSync(zero, 1024)).toThrow(TextFileError);
    await expect(readTextFile(zero, 1024)).rejects.toThrow(TextFileError);
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Open for both, so that neither waits for the other.
    const descriptor = openSync(pipe, 'r+');
    writeFileSync(descriptor, 'a'.repeat(2_000));
    await expect(readTextFile(pipe, 1024)).rejects.toThrow('1 KiB');
    const sparse = write('');
    truncateSync(sparse, 100 * 1024 * 1024);
    await expect(readTextFile(sparse, 64 * 1024 * 1024)).rejects.toThrow('64 MiB');
  });

  test('of a line without an end is bounded', async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1024, 'a');
    }
    await expect(readTextStream(endless(), 10_240)).rejects.toThrow('10 KiB');
  });
});

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  let pipe: string;
  beforeAll(() => {
    pipe = path.join(folder, 'named');
    execFileSync('mkfifo', [pipe]);
  });

  /** A process that has the pipe open and writes after a while. */
  async function startWriter(script: string): Promise<void> {
    const writer = spawn('sh', ['-c', `exec 3<>"$0"; echo; sleep 0.1; ${script}`, pipe]);
    await once(writer.stdout, 'data');
  }

  const readers: Readonly<Record<string, () => Promise<string> | string>> = {
    'in one go': () => readTextFileSync(pipe, 1024),
    'as it comes': () => readTextFile(pipe, 1024),
    'as a secret': () => readSecretFile(pipe),
  };

  test.each(Object.entries(readers))('is read %s until its writer ends', async (_, readPipe) => {
    await startWriter('printf %s sec >&3; sleep 0.1; printf ret >&3');
    expect(await readPipe()).toBe('secret');
  });

  test.each(Object.entries(readers))('without a writer is refused %s', async (_, readPipe) => {
    const reason = 'is a pipe to which nothing is written';
    await expect((async () => readPipe())()).rejects.toMatchObject({ reason });
    await startWriter(':');
    expect(await readPipe()).toBe('');
  });

  test('is no longer read after a signal', async () => {
    await startWriter('sleep 5');
    const reason = new Error('stop');
    await expect(readTextFile(pipe, 1024, AbortSignal.abort(reason))).rejects.toMatchObject({ cause: reason });
    const stop = new AbortController();
    const pending = readTextFile(pipe, 1024, stop.signal);
    setTimeout(() => stop.abort(reason), 10);
    await expect(pending).rejects.toMatchObject({ cause: reason });
  });
});

test.skipIf(process.platform !== 'linux')(
  'a folder, a socket and an empty device are no text of their own',
  async () => {
    expect(() => readTextFileSync(folder, 1024)).toThrow('EISDIR');
    await expect(readTextFile(folder, 1024)).rejects.toThrow('EISDIR');
    const socket = path.join(folder, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    expect(() => readTextFileSync(socket, 1024)).toThrow('ENXIO');
    await expect(readTextFile(socket, 1024)).rejects.toThrow('ENXIO');
    server.close();
    expect([readTextFileSync('/dev/null', 1024), await readTextFile('/dev/null', 1024)]).toEqual(['', '']);
  },
);

describe('a secret', () => {
  test.each([
    ['secret', 'secret'],
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret\r', 'secret'],
    [' secret \n', ' secret '],
    ['\n', ''],
    ['secret\n\n', undefined],
    ['secret\r\n\r\n', undefined],
    ['secret\n\r', undefined],
    ['one\ntwo', undefined],
    ['one\rtwo', undefined],
    [`${mark}secret`, undefined],
  ])('%j is %j', (content, expected) => {
    expect(parseSecret(content)).toBe(expected);
  });

  test('of Windows is read from its file', () => {
    expect(readSecretFile(write(Buffer.from(`${mark}geh\u00e9im\r\n`, 'utf16le')))).toBe('geh\u00e9im');
    expect(() => readSecretFile(write('one\ntwo\n'))).toThrow('has several lines');
    expect(() => readSecretFile(write('a'.repeat(maxSecretBytes + 1)))).toThrow('64 KiB');
  });
});
