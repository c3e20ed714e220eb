/** Files are read in pieces: lines across pieces, long lines, and files larger than a buffer can be. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ReadableFile } from '../../../../src/server/store/file/disk.ts';
import {
  crcUntil,
  LineReader,
  type LineReaderLimits,
  readRange,
  readSlices,
  toReadableFile,
} from '../../../../src/server/store/file/line-reader.ts';
import { nodeDisk } from '../../../../src/server/store/file/node-disk.ts';

/** A file that returns at most `most` bytes for a read. */
function stingy(bytes: Buffer, most: number): ReadableFile {
  const file = toReadableFile(bytes);
  return { ...file, readAt: (target, position) => file.readAt(target.subarray(0, most), position) };
}

function readLines(file: ReadableFile, limits: LineReaderLimits, position = 0) {
  const reader = new LineReader(file, position, limits);
  const lines: { text: string; start: number; end: number; complete: boolean }[] = [];
  for (let line = reader.next(); line !== undefined; line = reader.next())
    lines.push({ text: line.toString(), start: reader.start, end: reader.end, complete: reader.complete });
  return lines;
}

const text = 'a\n\nbcd äöü €\n{"long":"0123456789012345678901234567890123456789"}\n𝄞\nrest';
const bytes = Buffer.from(text);

/** The lines as a split of the whole text finds them. */
function expectedLines(position: number) {
  const lines: { text: string; start: number; end: number; complete: boolean }[] = [];
  let start = position;
  while (start < bytes.length) {
    const newline = bytes.indexOf('\n', start);
    const stop = newline < 0 ? bytes.length : newline;
    const end = newline < 0 ? stop : stop + 1;
    lines.push({ text: bytes.toString('utf8', start, stop), start, end, complete: newline >= 0 });
    start = end;
  }
  return lines;
}

test('lines are the same whatever the piece length, the length of a read and the first position', () => {
  for (let pieceLength = 1; pieceLength <= bytes.length + 1; pieceLength += 1) {
    for (const most of [1, 3, 1000]) {
      const file = stingy(bytes, most);
      expect(readLines(file, { pieceLength })).toEqual(expectedLines(0));
      expect(readLines(file, { pieceLength }, 3)).toEqual(expectedLines(3));
    }
  }
});

test('an empty file has no lines', () => {
  expect(readLines(toReadableFile(Buffer.alloc(0)), {})).toEqual([]);
});

test('a line that is too long is incomplete, and the next one is found', () => {
  const file = toReadableFile(Buffer.from(`a\n${'x'.repeat(5000)}\nb\n${'y'.repeat(300)}`));
  const lines = readLines(file, { pieceLength: 64, maxLineLength: 100 });
  expect(lines.map(({ start, end, complete }) => ({ start, end, complete }))).toEqual([
    { start: 0, end: 2, complete: true },
    { start: 2, end: 5003, complete: false },
    { start: 5003, end: 5005, complete: true },
    { start: 5005, end: 5305, complete: false },
  ]);
  expect(lines[1]?.text.length).toBeLessThan(300);
});

test('slices and checksums cover every byte once', () => {
  for (let pieceLength = 1; pieceLength <= bytes.length; pieceLength += 1) {
    const slices = [...readSlices(toReadableFile(bytes), { start: 2, end: 30, pieceLength })].map((one) =>
      Buffer.from(one),
    );
    // A slice is valid until the next one, so only the lengths can be compared afterwards.
    expect(slices.reduce((sum, { length }) => sum + length, 0)).toBe(28);
  }
  for (const end of [0, 1, bytes.length]) expect(crcUntil(stingy(bytes, 7), end)).toBe(crc32(bytes.subarray(0, end)));
  expect(readRange(stingy(bytes, 1), 3, 9)).toEqual(bytes.subarray(3, 9));
});

test('a file that becomes shorter while it is read is an error', () => {
  const file = { ...toReadableFile(Buffer.from('ab\n')), size: 10 };
  expect(() => readLines(file, {})).toThrow('became shorter');
});

test('lines beyond 4 GiB are read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'iam-lines-'));
  try {
    const path = join(folder, 'sparse');
    const handle = await open(path, 'w');
    const position = 5 * 1024 ** 3;
    await handle.write(Buffer.from('\nlast\n'), 0, 6, position);
    await handle.close();
    const file = (await nodeDisk.openToRead(path)) as ReadableFile;
    expect(file.size).toBe(position + 6);
    expect(readLines(file, {}, position + 1)).toEqual([
      { text: 'last', start: position + 1, end: position + 6, complete: true },
    ]);
    await file.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a missing file is undefined', async () => {
  expect(await nodeDisk.openToRead(join(tmpdir(), 'iam-no-such-file'))).toBeUndefined();
});
