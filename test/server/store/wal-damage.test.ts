/**
 * A journal that is not as it was written: what is only torn is cut off, everything else stops the start. Cuts, holes,
 * noise, flipped bits and repetitions at every place are suites of test/stress, of which its tests run a part.
 */
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeBatch, encodeHeader } from '../../../src/server/store/json/wal-record.ts';
import { Overlay } from '../../../src/server/store/overlay.ts';
import {
  COMMITS,
  closedSegment,
  createHarnessWith,
  createHarnessWithout,
  findLineOffsets,
  flipBit,
  lineOffsets,
  model,
  tail,
  wal,
  zeroBytes,
} from './damaged-store.ts';
import { History } from './history.ts';
import { group } from './rows.ts';
import { expectOpens, expectRefused } from './store-assertions.ts';
import { files } from './store-harness.ts';

/** Commits as one batch, each adding one group of its own. */
function batch(first: number, epoch: number, count: number): Buffer {
  const commits = Array.from({ length: count }, (_, index) => {
    const commit = new Overlay('overlay');
    const row = group(`z${first + index}`);
    commit.table('groups').put(row.groupId, row);
    return commit;
  });
  return encodeBatch(first, epoch, commits);
}

describe('a torn tail', () => {
  test('does not stop later starts, and its place is written to again', async () => {
    const bench = createHarnessWith(files.wal, wal.subarray(0, -1));
    const store = await bench.open();
    expect(bench.bytes(files.wal).equals(wal.subarray(0, tail))).toBe(true);
    const history = new History(COMMITS - 1);
    await history.commits(store, 3);
    await expectOpens(bench, COMMITS + 2);
    expect(bench.events).toContainEqual(expect.objectContaining({ event: 'torn-tail', file: files.wal, offset: tail }));
  });

  test('may be a batch that was written with a hole in its middle', async () => {
    const bytes = Buffer.concat([wal, batch(COMMITS + 1, 9, 12)]);
    const lines = findLineOffsets(bytes);
    const hole = lines[lineOffsets.length + 2] as number;
    const bench = createHarnessWith(files.wal, zeroBytes(bytes, hole + 20, hole + 300));
    const store = await bench.open();
    expect(await store.groups.count()).toBe(COMMITS + 1 + 3);
    expect(await bench.quarantinedFiles()).toEqual([zeroBytes(bytes, hole + 20, hole + 300).subarray(hole)]);
  });
});

describe('the last commit is torn', () => {
  test.each([
    ['with a hole at its beginning', zeroBytes(wal, tail, tail + 40)],
    ['with a hole in its middle', zeroBytes(wal, tail + 200, tail + 300)],
    ['with a hole at its end', zeroBytes(wal, wal.length - 40, wal.length - 1)],
    ['with another byte for its newline', Buffer.concat([wal.subarray(0, -1), Buffer.from('x')])],
    ['and all of it zero', zeroBytes(wal, tail, wal.length)],
    ['down to its first byte', wal.subarray(0, tail + 1)],
  ])('%s', async (_, bytes) => {
    const bench = createHarnessWith(files.wal, bytes);
    await bench.open();
    expect(await bench.quarantinedFiles()).toEqual([bytes.subarray(tail)]);
    expect(await bench.names()).toContain(`journal.${COMMITS}.broken`);
    await expectOpens(bench, COMMITS - 1);
  });

  test('as the first of a batch, of which others are whole', async () => {
    const bytes = Buffer.concat([wal, batch(COMMITS + 1, 9, 3)]);
    const bench = createHarnessWith(files.wal, zeroBytes(bytes, wal.length + 20, wal.length + 30));
    await expectOpens(bench, COMMITS);
    const second = findLineOffsets(bytes)[lineOffsets.length] as number;
    await expectOpens(createHarnessWith(files.wal, zeroBytes(bytes, second - 20, second - 10)), COMMITS);
  });
});

describe('a damaged journal is refused with the place', () => {
  test('where a sector of an earlier commit is gone and the last one is torn besides', async () => {
    const at = lineOffsets[2] as number;
    const bench = createHarnessWith(files.wal, zeroBytes(wal, at + 50, at + 60).subarray(0, -5));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: at });
  });

  test('where nothing is left but the end of a later commit', async () => {
    const at = lineOffsets[3] as number;
    const bench = createHarnessWith(files.wal, zeroBytes(wal, at, tail + 60));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: at });
  });

  test('where a commit has its beginning, and what follows it is gone', async () => {
    const at = lineOffsets[4] as number;
    const bench = createHarnessWith(files.wal, zeroBytes(wal, tail - 10, wal.length));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: at });
  });

  test('where the first of two batches lost its end, and nothing is left of the second', async () => {
    const bytes = Buffer.concat([wal, batch(COMMITS + 1, 9, 1)]);
    const two = Buffer.concat([bytes, batch(COMMITS + 2, 9, 1)]);
    const bench = createHarnessWith(files.wal, zeroBytes(two, bytes.length - 10, two.length));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: wal.length });
  });

  test('where a commit begins with a newline, and the last one is torn besides', async () => {
    const at = lineOffsets[3] as number;
    const bytes = Buffer.from(wal.subarray(0, -5)).fill('\n', at, at + 1);
    await expectRefused(createHarnessWith(files.wal, bytes), { kind: 'damaged', file: files.wal, offset: at });
  });

  test('where a bit is flipped in a batch of which other commits are whole', async () => {
    const bytes = Buffer.concat([wal, batch(COMMITS + 1, 9, 5)]);
    const second = findLineOffsets(bytes)[lineOffsets.length] as number;
    const bench = createHarnessWith(files.wal, flipBit(bytes, second + 40, 3));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: second });
  });

  test('where it is empty, or its head is gone', async () => {
    for (const bytes of ['', '\0'.repeat(600), 'null\n', '{}\n']) {
      await expectRefused(createHarnessWith(files.wal, Buffer.from(bytes)), { kind: 'damaged', offset: 0 });
    }
    const endless = Buffer.concat([encodeHeader(10, 2).subarray(0, -1), Buffer.from('x')]);
    await expectRefused(createHarnessWith(files.wal, endless), { kind: 'damaged', file: files.wal, offset: 0 });
    const headless = wal.subarray(lineOffsets[1] as number);
    await expectRefused(createHarnessWith(files.wal, headless), { kind: 'damaged', file: files.wal, offset: 0 });
  });

  test('where a newer version wrote it', async () => {
    const start = '{"formatVersion":2,"first":10,"epoch":1';
    const sealed = Buffer.from(`${start},"crc32":"${crc32(start).toString(16).padStart(8, '0')}"}\n`);
    await expectRefused(createHarnessWith(files.wal, sealed), { kind: 'newer-format', file: files.wal });
  });
});

describe('a journal whose commits do not follow one another is refused', () => {
  const offset = wal.length;
  const next = COMMITS + 1;
  const added: readonly [what: string, lines: Buffer, expectedOffset: number][] = [
    ['a commit that is there twice', batch(COMMITS, 9, 1), offset],
    ['a gap', batch(next + 1, 9, 1), offset],
    ['a commit of an earlier start', batch(next, 1, 1), offset],
    ['an older end that comes again', wal.subarray(tail), offset],
    ['an earlier start after a later one', Buffer.concat([batch(next, 9, 1), batch(next + 1, 8, 1)]), 0],
  ];

  test.each(added)('%s', async (_, lines, expectedOffset) => {
    const place = expectedOffset || offset + batch(next, 9, 1).length;
    const bench = createHarnessWith(files.wal, Buffer.concat([wal, lines]));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: place });
  });

  test('a segment that begins too late or too early for the one before', async () => {
    const bench = createHarnessWithout(files.checkpoint);
    bench.disk.plant(files.wal, Buffer.concat([encodeHeader(11, 9), batch(11, 9, 1)]));
    await expectRefused(bench, { kind: 'damaged' });
    bench.disk.plant(files.wal, Buffer.concat([encodeHeader(9, 9), batch(9, 9, 1)]));
    await expectRefused(bench, { kind: 'damaged' });
  });

  test('a journal that ends before the checkpoint does', async () => {
    const bench = createHarnessWith(files.wal, model.bytes(closedSegment).subarray(0, -10));
    await expectRefused(bench, { kind: 'damaged' });
    bench.disk.plant(files.wal, Buffer.concat([encodeHeader(5, 2), batch(5, 2, 1)]));
    await expectRefused(bench, { kind: 'damaged', file: files.wal });
  });
});
