/**
 * A damaged write-ahead log: a torn tail is truncated, any other damage stops the start. The suites of test/stress cover
 * cuts, holes, noise, flipped bits and repetitions at every position.
 */
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FORMAT_VERSION } from '../../../../src/server/store/file/layout.ts';
import { encodeHeader } from '../../../../src/server/store/file/wal-record.ts';
import { Overlay } from '../../../../src/server/store/memory/overlay.ts';
import {
  COMMITS,
  chainAt,
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
} from '../damaged-store.ts';
import { encodeLines } from '../encode-lines.ts';
import { History } from '../history.ts';
import { group } from '../rows.ts';
import { expectOpenError, expectOpens } from '../store-assertions.ts';
import { files } from '../store-harness.ts';

/** Commits as one batch, each adding one group. */
function batch(first: number, epoch: number, count: number, chain = chainAt(first - 1)): Buffer {
  return encodeLines({ first, epoch, chain }, createCommits(first, count)).bytes;
}

/** A batch of one commit, and one of another after it. */
function twoBatches(first: number, epoch: number, secondEpoch: number): [Buffer, Buffer] {
  const chain = chainAt(first - 1);
  const { bytes, lastHash } = encodeLines({ first, epoch, chain }, createCommits(first, 1));
  return [bytes, batch(first + 1, secondEpoch, 1, { ...chain, lastHash })];
}

function header(first: number, epoch: number): Buffer {
  return encodeHeader({ first, epoch, chain: chainAt(first - 1) });
}

function createCommits(first: number, count: number): Overlay[] {
  return Array.from({ length: count }, (_, index) => {
    const commit = new Overlay('overlay');
    const row = group(`z${first + index}`);
    commit.table('groups').put(row.groupId, row);
    return commit;
  });
}

describe('a torn tail', () => {
  test('does not stop later starts, and its position is overwritten', async () => {
    const harness = createHarnessWith(files.wal, wal.subarray(0, -1));
    const store = await harness.open();
    expect(harness.bytes(files.wal).equals(wal.subarray(0, tail))).toBe(true);
    const history = new History(COMMITS - 1);
    await history.commits(store, 3);
    await expectOpens(harness, COMMITS + 2);
    expect(harness.events).toContainEqual(
      expect.objectContaining({ event: 'torn-tail', file: files.wal, offset: tail }),
    );
  });

  // Nothing readable follows, as after a write that a power loss interrupted: docs/durability.md states this limit.
  test('looks the same as several last batches that are unreadable', async () => {
    const from = lineOffsets.at(-4) as number;
    const zeroed = zeroBytes(wal, from, wal.length);
    const harness = createHarnessWith(files.wal, zeroed);
    await expectOpens(harness, COMMITS - 3);
    expect(await harness.quarantinedFiles()).toEqual([zeroed.subarray(from)]);
  });

  test('may be a batch with a hole in the middle', async () => {
    const bytes = Buffer.concat([wal, batch(COMMITS + 1, 9, 12)]);
    const lines = findLineOffsets(bytes);
    const hole = lines[lineOffsets.length + 2] as number;
    const harness = createHarnessWith(files.wal, zeroBytes(bytes, hole + 20, hole + 300));
    const store = await harness.open();
    expect(await store.groups.count()).toBe(COMMITS + 1 + 3);
    expect(await harness.quarantinedFiles()).toEqual([zeroBytes(bytes, hole + 20, hole + 300).subarray(hole)]);
  });
});

describe('the last commit is torn', () => {
  test.each([
    ['with a hole at its start', zeroBytes(wal, tail, tail + 40)],
    ['with a hole in its middle', zeroBytes(wal, tail + 200, tail + 300)],
    ['with a hole at its end', zeroBytes(wal, wal.length - 40, wal.length - 1)],
    ['with another byte for its newline', Buffer.concat([wal.subarray(0, -1), Buffer.from('x')])],
    ['and all of it zero', zeroBytes(wal, tail, wal.length)],
    ['down to its first byte', wal.subarray(0, tail + 1)],
  ])('%s', async (_, bytes) => {
    const harness = createHarnessWith(files.wal, bytes);
    await harness.open();
    expect(await harness.quarantinedFiles()).toEqual([bytes.subarray(tail)]);
    expect(await harness.names()).toContain(`journal.${COMMITS}.broken`);
    await expectOpens(harness, COMMITS - 1);
  });

  test('as the first of a batch with intact later commits', async () => {
    const bytes = Buffer.concat([wal, batch(COMMITS + 1, 9, 3)]);
    const harness = createHarnessWith(files.wal, zeroBytes(bytes, wal.length + 20, wal.length + 30));
    await expectOpens(harness, COMMITS);
    const second = findLineOffsets(bytes)[lineOffsets.length] as number;
    await expectOpens(createHarnessWith(files.wal, zeroBytes(bytes, second - 20, second - 10)), COMMITS);
  });
});

describe('a damaged write-ahead log is rejected with the position', () => {
  test('if a sector of an earlier commit is lost and the last one is torn', async () => {
    const at = lineOffsets[2] as number;
    const harness = createHarnessWith(files.wal, zeroBytes(wal, at + 50, at + 60).subarray(0, -5));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: at });
  });

  test('if only the end of a later commit is left', async () => {
    const at = lineOffsets[3] as number;
    const harness = createHarnessWith(files.wal, zeroBytes(wal, at, tail + 60));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: at });
  });

  test('if only the start of a commit is left and the following data is lost', async () => {
    const at = lineOffsets[4] as number;
    const harness = createHarnessWith(files.wal, zeroBytes(wal, tail - 10, wal.length));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: at });
  });

  test('if the first of two batches lost its end and the second is lost', async () => {
    const [one, other] = twoBatches(COMMITS + 1, 9, 9);
    const bytes = Buffer.concat([wal, one]);
    const two = Buffer.concat([bytes, other]);
    const harness = createHarnessWith(files.wal, zeroBytes(two, bytes.length - 10, two.length));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: wal.length });
  });

  test('if a commit starts with a newline and the last one is torn', async () => {
    const at = lineOffsets[3] as number;
    const bytes = Buffer.from(wal.subarray(0, -5)).fill('\n', at, at + 1);
    await expectOpenError(createHarnessWith(files.wal, bytes), { kind: 'damaged', file: files.wal, offset: at });
  });

  test('if a bit is flipped in a batch with intact later commits', async () => {
    const bytes = Buffer.concat([wal, batch(COMMITS + 1, 9, 5)]);
    const second = findLineOffsets(bytes)[lineOffsets.length] as number;
    const harness = createHarnessWith(files.wal, flipBit(bytes, second + 40, 3));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: second });
  });

  test('if it is empty or its header is lost', async () => {
    for (const bytes of ['', '\0'.repeat(600), 'null\n', '{}\n']) {
      await expectOpenError(createHarnessWith(files.wal, Buffer.from(bytes)), { kind: 'damaged', offset: 0 });
    }
    const endless = Buffer.concat([header(10, 2).subarray(0, -1), Buffer.from('x')]);
    await expectOpenError(createHarnessWith(files.wal, endless), { kind: 'damaged', file: files.wal, offset: 0 });
    const headless = wal.subarray(lineOffsets[1] as number);
    await expectOpenError(createHarnessWith(files.wal, headless), { kind: 'damaged', file: files.wal, offset: 0 });
  });

  test('if a newer version wrote it', async () => {
    const start = `{"formatVersion":${FORMAT_VERSION + 1},"first":10,"epoch":1`;
    const line = Buffer.from(`${start},"crc32":"${crc32(start).toString(16).padStart(8, '0')}"}\n`);
    await expectOpenError(createHarnessWith(files.wal, line), { kind: 'newer-format', file: files.wal });
  });
});

describe('a write-ahead log with non-contiguous commits is rejected', () => {
  const offset = wal.length;
  const next = COMMITS + 1;
  const added: readonly [what: string, lines: Buffer, expectedOffset: number][] = [
    ['a duplicate commit', batch(COMMITS, 9, 1), offset],
    ['a gap', batch(next + 1, 9, 1), offset],
    ['a commit of an earlier start', batch(next, 1, 1), offset],
    ['a repeated older end', wal.subarray(tail), offset],
    ['an earlier start after a later one', Buffer.concat(twoBatches(next, 9, 8)), 0],
  ];

  test.each(added)('%s', async (_, lines, expectedOffset) => {
    const position = expectedOffset || offset + batch(next, 9, 1).length;
    const harness = createHarnessWith(files.wal, Buffer.concat([wal, lines]));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: position });
  });

  test('a segment that starts too late or too early after the previous one', async () => {
    const harness = createHarnessWithout(files.checkpoint);
    harness.disk.plant(files.wal, Buffer.concat([header(11, 9), batch(11, 9, 1)]));
    await expectOpenError(harness, { kind: 'damaged' });
    harness.disk.plant(files.wal, Buffer.concat([header(9, 9), batch(9, 9, 1)]));
    await expectOpenError(harness, { kind: 'damaged' });
  });

  test('a log that ends before the checkpoint', async () => {
    const harness = createHarnessWith(files.wal, model.bytes(closedSegment).subarray(0, -10));
    await expectOpenError(harness, { kind: 'damaged' });
    harness.disk.plant(files.wal, Buffer.concat([header(5, 2), batch(5, 2, 1)]));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal });
  });
});
