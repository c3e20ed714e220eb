/**
 * A journal that is not as it was written: what is only torn is cut off, everything else stops the start. Cuts, holes,
 * noise, flipped bits and repetitions at every place are suites of torture/, of which test/torture runs a part.
 */
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeBatch, encodeHead } from '../../../src/server/store/json/record.ts';
import { Layer } from '../../../src/server/store/layer.ts';
import {
  COMMITS,
  closedSegment,
  flipped,
  journal,
  lineStarts,
  model,
  starts,
  tail,
  withFile,
  without,
  zeroed,
} from './damaged-store.ts';
import { expectOpens, expectRefused } from './expect-store.ts';
import { files } from './fault-bench.ts';
import { History } from './history.ts';
import { group } from './rows.ts';

/** Commits as one batch, each adding one group of its own. */
function batch(first: number, epoch: number, count: number): Buffer {
  const commits = Array.from({ length: count }, (_, index) => {
    const commit = new Layer('overlay');
    const row = group(`z${first + index}`);
    commit.table('groups').put(row.groupId, row);
    return commit;
  });
  return encodeBatch(first, epoch, commits);
}

describe('a torn tail', () => {
  test('does not stop later starts, and its place is written to again', async () => {
    const bench = withFile(files.journal, journal.subarray(0, -1));
    const store = await bench.open();
    expect(bench.bytes(files.journal).equals(journal.subarray(0, tail))).toBe(true);
    const history = new History(COMMITS - 1);
    await history.commits(store, 3);
    await expectOpens(bench, COMMITS + 2);
    expect(bench.events).toContainEqual(
      expect.objectContaining({ event: 'torn-tail', file: files.journal, offset: tail }),
    );
  });

  test('may be a batch that was written with a hole in its middle', async () => {
    const bytes = Buffer.concat([journal, batch(COMMITS + 1, 9, 12)]);
    const lines = lineStarts(bytes);
    const hole = lines[starts.length + 2] as number;
    const bench = withFile(files.journal, zeroed(bytes, hole + 20, hole + 300));
    const store = await bench.open();
    expect(await store.groups.count()).toBe(COMMITS + 1 + 3);
    expect(await bench.broken()).toEqual([zeroed(bytes, hole + 20, hole + 300).subarray(hole)]);
  });
});

describe('the last commit is torn', () => {
  test.each([
    ['with a hole at its beginning', zeroed(journal, tail, tail + 40)],
    ['with a hole in its middle', zeroed(journal, tail + 200, tail + 300)],
    ['with a hole at its end', zeroed(journal, journal.length - 40, journal.length - 1)],
    ['with another byte for its newline', Buffer.concat([journal.subarray(0, -1), Buffer.from('x')])],
    ['and all of it zero', zeroed(journal, tail, journal.length)],
    ['down to its first byte', journal.subarray(0, tail + 1)],
  ])('%s', async (_, bytes) => {
    const bench = withFile(files.journal, bytes);
    await bench.open();
    expect(await bench.broken()).toEqual([bytes.subarray(tail)]);
    expect(await bench.names()).toContain(`journal.${COMMITS}.broken`);
    await expectOpens(bench, COMMITS - 1);
  });

  test('as the first of a batch, of which others are whole', async () => {
    const bytes = Buffer.concat([journal, batch(COMMITS + 1, 9, 3)]);
    const bench = withFile(files.journal, zeroed(bytes, journal.length + 20, journal.length + 30));
    await expectOpens(bench, COMMITS);
    const second = lineStarts(bytes)[starts.length] as number;
    await expectOpens(withFile(files.journal, zeroed(bytes, second - 20, second - 10)), COMMITS);
  });
});

describe('a damaged journal is refused with the place', () => {
  test('where a sector of an earlier commit is gone and the last one is torn besides', async () => {
    const at = starts[2] as number;
    const bench = withFile(files.journal, zeroed(journal, at + 50, at + 60).subarray(0, -5));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: at });
  });

  test('where nothing is left but the end of a later commit', async () => {
    const at = starts[3] as number;
    const bench = withFile(files.journal, zeroed(journal, at, tail + 60));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: at });
  });

  test('where a commit has its beginning, and what follows it is gone', async () => {
    const at = starts[4] as number;
    const bench = withFile(files.journal, zeroed(journal, tail - 10, journal.length));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: at });
  });

  test('where the first of two batches lost its end, and nothing is left of the second', async () => {
    const bytes = Buffer.concat([journal, batch(COMMITS + 1, 9, 1)]);
    const two = Buffer.concat([bytes, batch(COMMITS + 2, 9, 1)]);
    const bench = withFile(files.journal, zeroed(two, bytes.length - 10, two.length));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: journal.length });
  });

  test('where a commit begins with a newline, and the last one is torn besides', async () => {
    const at = starts[3] as number;
    const bytes = Buffer.from(journal.subarray(0, -5)).fill('\n', at, at + 1);
    await expectRefused(withFile(files.journal, bytes), { kind: 'damaged', file: files.journal, offset: at });
  });

  test('where a bit is flipped in a batch of which other commits are whole', async () => {
    const bytes = Buffer.concat([journal, batch(COMMITS + 1, 9, 5)]);
    const second = lineStarts(bytes)[starts.length] as number;
    const bench = withFile(files.journal, flipped(bytes, second + 40, 3));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: second });
  });

  test('where it is empty, or its head is gone', async () => {
    for (const bytes of ['', '\0'.repeat(600), 'null\n', '{}\n']) {
      await expectRefused(withFile(files.journal, Buffer.from(bytes)), { kind: 'damaged', offset: 0 });
    }
    const endless = Buffer.concat([encodeHead(10, 2).subarray(0, -1), Buffer.from('x')]);
    await expectRefused(withFile(files.journal, endless), { kind: 'damaged', file: files.journal, offset: 0 });
    const headless = journal.subarray(starts[1] as number);
    await expectRefused(withFile(files.journal, headless), { kind: 'damaged', file: files.journal, offset: 0 });
  });

  test('where a newer version wrote it', async () => {
    const start = '{"formatVersion":2,"first":10,"epoch":1';
    const sealed = Buffer.from(`${start},"crc32":"${crc32(start).toString(16).padStart(8, '0')}"}\n`);
    await expectRefused(withFile(files.journal, sealed), { kind: 'newer-format', file: files.journal });
  });
});

describe('a journal whose commits do not follow one another is refused', () => {
  const offset = journal.length;
  const next = COMMITS + 1;
  const added: readonly [what: string, lines: Buffer, expectedOffset: number][] = [
    ['a commit that is there twice', batch(COMMITS, 9, 1), offset],
    ['a gap', batch(next + 1, 9, 1), offset],
    ['a commit of an earlier start', batch(next, 1, 1), offset],
    ['an older end that comes again', journal.subarray(tail), offset],
    ['an earlier start after a later one', Buffer.concat([batch(next, 9, 1), batch(next + 1, 8, 1)]), 0],
  ];

  test.each(added)('%s', async (_, lines, expectedOffset) => {
    const place = expectedOffset || offset + batch(next, 9, 1).length;
    const bench = withFile(files.journal, Buffer.concat([journal, lines]));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: place });
  });

  test('a segment that begins too late or too early for the one before', async () => {
    const bench = without(files.checkpoint);
    bench.disk.plant(files.journal, Buffer.concat([encodeHead(11, 9), batch(11, 9, 1)]));
    await expectRefused(bench, { kind: 'damaged' });
    bench.disk.plant(files.journal, Buffer.concat([encodeHead(9, 9), batch(9, 9, 1)]));
    await expectRefused(bench, { kind: 'damaged' });
  });

  test('a journal that ends before the checkpoint does', async () => {
    const bench = withFile(files.journal, model.bytes(closedSegment).subarray(0, -10));
    await expectRefused(bench, { kind: 'damaged' });
    bench.disk.plant(files.journal, Buffer.concat([encodeHead(5, 2), batch(5, 2, 1)]));
    await expectRefused(bench, { kind: 'damaged', file: files.journal });
  });
});
