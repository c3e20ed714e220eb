/** What a start reads of the journal: its segments in order, each commit once, and nothing that a crash left beside it. */
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { closedSegmentName } from '../../../src/server/store/json/layout.ts';
import { encodeHeader } from '../../../src/server/store/json/wal-record.ts';
import {
  COMMITS,
  closedSegment,
  createHarnessWith,
  createHarnessWithout,
  lineOffsets,
  model,
  wal,
} from './damaged-store.ts';
import { countCommits, History } from './history.ts';
import { expectOpens, expectRefused } from './store-assertions.ts';
import { files, StoreHarness } from './store-harness.ts';

/** Lines of the journal of the model, which holds commits 10 to 14 behind its head. */
function commits(first: number, last: number): Buffer {
  return wal.subarray(lineOffsets[first - 9], lineOffsets[last - 8]);
}

/** The start that wrote the model. */
const epoch = 2;

function segment(first: number, last: number): Buffer {
  return Buffer.concat([encodeHeader(first, epoch), commits(first, last)]);
}

/** With the checkpoint of commit 4 in the place of the current one, so that all segments are needed. */
function needingAll(newest: Buffer): StoreHarness {
  const bench = createHarnessWith(files.checkpoint, model.bytes(files.previous));
  bench.disk.plant(files.wal, newest);
  return bench;
}

/** A line whose seal is right, whatever it says. */
function sealed(start: string): Buffer {
  return Buffer.from(`${start},"crc32":"${crc32(start).toString(16).padStart(8, '0')}"}\n`);
}

describe('a start', () => {
  test('on a whole store sets nothing aside and says nothing', async () => {
    const bench = model.copy();
    const before = await bench.names();
    const store = await bench.open();
    expect(await countCommits(store)).toBe(COMMITS);
    expect([...(await bench.names())].sort()).toEqual([...new Set([...before, 'iam.lock'])].sort());
    expect(bench.bytes(files.wal)).toEqual(wal);
    expect(bench.events).toEqual([]);
    await store.close();
    const closed = bench.copy();
    await expectOpens(closed, COMMITS);
    expect(closed.events).toEqual([]);
  });

  test('does what commits did: rows that were put, put again and deleted', async () => {
    const bench = model.copy();
    const store = await bench.open();
    const row = (await store.groups.list())[0];
    if (row === undefined) throw new Error('there is no group');
    const renamed = { ...row, groupName: 'renamed' };
    await store.transaction(async ({ groups }) => {
      await groups.delete('n00000002');
      await groups.replace(renamed);
      await groups.insert({ ...row, groupId: 'added', groupName: 'added' });
    });
    await store.transaction(({ groups }) => groups.delete('added'));
    const expected = await store.groups.list();
    expect(expected).toHaveLength(COMMITS);
    expect(await (await bench.open()).groups.list()).toEqual(expected);
  });

  test('goes on from all starts before it, whether they wrote a checkpoint or not', async () => {
    const bench = new StoreHarness();
    const history = new History();
    for (let start = 0; start < 5; start += 1) {
      const store = await bench.open();
      await history.commits(store, 2);
      if (start === 1) await store.checkpoint();
    }
    const epochs = bench
      .bytes(files.wal)
      .toString()
      .match(/"epoch":\d+(?=,"bytes")/g);
    expect([epochs?.length, new Set(epochs).size]).toEqual([6, 3]);
    await expectOpens(bench, 10);
  });

  test('reads segments in the order of their commits, in whatever order the folder names them', async () => {
    const bench = needingAll(segment(14, 14));
    for (const [first, last] of [
      [13, 13],
      [10, 11],
      [12, 12],
    ] as const)
      bench.disk.plant(bench.path(closedSegmentName(first)), segment(first, last));
    await expectOpens(bench, COMMITS);
  });

  test('says that it used the checkpoint before, and why', async () => {
    const bench = createHarnessWith(files.checkpoint, Buffer.from('{}'));
    await bench.open();
    expect(bench.events).toMatchObject([
      { event: 'older-checkpoint-used', file: files.previous, error: { kind: 'damaged', file: files.checkpoint } },
    ]);
  });
});

describe('a rotation that was broken off', () => {
  test('before the old segment was taken away leaves that one in force', async () => {
    const bench = createHarnessWith(files.nextWal, encodeHeader(COMMITS + 1, epoch));
    const history = new History(COMMITS);
    await history.commits(await bench.open(), 1);
    expect(await bench.names()).not.toContain('journal.next.jsonl');
    await expectOpens(bench, COMMITS + 1);
  });

  test('after it was taken away is finished, and the new one written to', async () => {
    const bench = createHarnessWithout(files.wal);
    bench.disk.plant(bench.path(closedSegmentName(10)), wal);
    bench.disk.plant(files.nextWal, encodeHeader(COMMITS + 1, epoch));
    const history = new History(COMMITS);
    await history.commits(await bench.open(), 1);
    expect(await bench.names()).toContain('journal.jsonl');
    expect(await bench.names()).not.toContain('journal.next.jsonl');
    await expectOpens(bench, COMMITS + 1);
  });
});

describe('refused is', () => {
  test('a segment of an earlier start than the one before', async () => {
    const what = expect.stringContaining('earlier start');
    const bench = needingAll(encodeHeader(10, epoch - 1));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: 0, what });
  });

  test('a segment that is torn and not the last', async () => {
    const bench = needingAll(segment(12, 14));
    const file = bench.path(closedSegmentName(10));
    bench.disk.plant(file, segment(10, 11).subarray(0, -10));
    await expectRefused(bench, { kind: 'damaged', file, offset: segment(10, 10).length });
  });

  test('a segment whose predecessor is missing', async () => {
    const bench = needingAll(segment(12, 14));
    const after = expect.stringMatching(/starts with commit 12, but .* ends with 9$/);
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: 0, what: after });
    bench.disk.unplant(closedSegment);
    const missing = expect.stringContaining('commits 5 to 11 before it are missing');
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: 0, what: missing });
  });

  test.each([
    ['a table that there is not', '["put","nowhere",{}]'],
    ['a row that is none', '["put","groups",{"groupId":7,"roles":"all"}]'],
    ['a change that is none', '["spoil","groups","n00000001"]'],
    ['a value that is no change', '7'],
  ])('a commit with %s, by its place and in one line', async (_, change) => {
    const start = `{"sequence":15,"last":15,"epoch":2,"bytes":${change.length + 2},"changes":[${change}],"first":15`;
    const what = expect.stringContaining("commit 15 can't be applied: ");
    const bench = createHarnessWith(files.wal, Buffer.concat([wal, sealed(start)]));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: wal.length, what });
  });

  test.each([
    ['no commit', '{"sequence":"15"'],
    ['no object', '[15'],
  ])('a sealed line that is %s, where another one follows', async (_, start) => {
    const next = '{"sequence":16,"last":16,"epoch":2,"bytes":2,"changes":[],"first":16';
    const bench = createHarnessWith(files.wal, Buffer.concat([wal, sealed(start), sealed(next)]));
    await expectRefused(bench, { kind: 'damaged', file: files.wal, offset: wal.length });
  });

  test('a checkpoint of a newer version in the place of the one before, where that would be needed', async () => {
    const bench = createHarnessWith(files.checkpoint, Buffer.from('{}'));
    const newer = model.bytes(files.previous).toString().replace('"formatVersion":1', '"formatVersion":2');
    bench.disk.plant(files.previous, Buffer.from(newer));
    await expectRefused(bench, { kind: 'newer-format', file: files.previous });
  });

  test('two damaged checkpoints, by the current one', async () => {
    const bench = createHarnessWith(files.checkpoint, Buffer.from('{}'));
    bench.disk.plant(files.previous, Buffer.from('{}'));
    await expectRefused(bench, { kind: 'damaged', file: files.checkpoint });
  });
});
