/** Replay at the start: segments in order, each commit once, without remains of a crash. */
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { closedSegmentName, FORMAT_VERSION } from '../../../../src/server/store/file/layout.ts';
import { encodeHeader } from '../../../../src/server/store/file/wal-record.ts';
import {
  COMMITS,
  chainAt,
  closedSegment,
  createHarnessWith,
  createHarnessWithout,
  lineOffsets,
  model,
  wal,
} from '../damaged-store.ts';
import { countCommits, History } from '../history.ts';
import { expectOpenError, expectOpens } from '../store-assertions.ts';
import { files, StoreHarness } from '../store-harness.ts';
import { withVersion } from '../with-version.ts';

/** Lines of the model's write-ahead log, which contains commits 10 to 14 after its header. */
function commits(first: number, last: number): Buffer {
  return wal.subarray(lineOffsets[first - 9], lineOffsets[last - 8]);
}

/** The epoch of the start that wrote the model. */
const epoch = 2;

function header(first: number, ofEpoch = epoch): Buffer {
  return encodeHeader({ first, epoch: ofEpoch, chain: chainAt(first - 1) });
}

function segment(first: number, last: number): Buffer {
  return Buffer.concat([header(first), commits(first, last)]);
}

/** Replaces the checkpoint by the one of commit 4, so that all segments are needed. */
function needingAll(newest: Buffer): StoreHarness {
  const harness = createHarnessWith(files.checkpoint, model.bytes(files.previous));
  harness.disk.plant(files.wal, newest);
  return harness;
}

/** A line with a matching CRC suffix. */
function withCrc(start: string): Buffer {
  return Buffer.from(`${start},"crc32":"${crc32(start).toString(16).padStart(8, '0')}"}\n`);
}

describe('a start', () => {
  test('on an intact store quarantines and logs nothing', async () => {
    const harness = model.copy();
    const before = await harness.names();
    const store = await harness.open();
    expect(await countCommits(store)).toBe(COMMITS);
    expect([...(await harness.names())].sort()).toEqual([...new Set([...before, 'iam.lock'])].sort());
    expect(harness.bytes(files.wal)).toEqual(wal);
    expect(harness.events).toEqual([]);
    await store.close();
    const closed = harness.copy();
    await expectOpens(closed, COMMITS);
    expect(closed.events).toEqual([]);
  });

  test('replays inserted, replaced and deleted rows', async () => {
    const harness = model.copy();
    const store = await harness.open();
    const row = (await store.groups.list())[0];
    if (row === undefined) throw new Error('group not found');
    const renamed = { ...row, groupName: 'renamed' };
    await store.transaction(async ({ groups }) => {
      await groups.delete('n00000002');
      await groups.replace(renamed);
      await groups.insert({ ...row, groupId: 'added', groupName: 'added' });
    });
    await store.transaction(({ groups }) => groups.delete('added'));
    const expected = await store.groups.list();
    expect(expected).toHaveLength(COMMITS);
    expect(await (await harness.open()).groups.list()).toEqual(expected);
  });

  test('continues after earlier starts with and without a checkpoint', async () => {
    const harness = new StoreHarness();
    const history = new History();
    for (let start = 0; start < 5; start += 1) {
      const store = await harness.open();
      await history.commits(store, 2);
      if (start === 1) await store.checkpoint();
    }
    const epochs = harness
      .bytes(files.wal)
      .toString()
      .match(/"epoch":\d+(?=,"previousHash")/g);
    expect([epochs?.length, new Set(epochs).size]).toEqual([6, 3]);
    await expectOpens(harness, 10);
  });

  test('reads segments in the order of their commits, not of the folder listing', async () => {
    const harness = needingAll(segment(14, 14));
    for (const [first, last] of [
      [13, 13],
      [10, 11],
      [12, 12],
    ] as const)
      harness.disk.plant(harness.path(closedSegmentName(first)), segment(first, last));
    await expectOpens(harness, COMMITS);
  });

  test('logs that it used the previous checkpoint, and why', async () => {
    const harness = createHarnessWith(files.checkpoint, Buffer.from('{}'));
    await harness.open();
    expect(harness.events).toMatchObject([
      { event: 'older-checkpoint-used', file: files.previous, error: { kind: 'damaged', file: files.checkpoint } },
    ]);
  });
});

describe('an interrupted rotation', () => {
  test('before the rename of the old segment keeps that segment active', async () => {
    const harness = createHarnessWith(files.nextWal, header(COMMITS + 1));
    const history = new History(COMMITS);
    await history.commits(await harness.open(), 1);
    expect(await harness.names()).not.toContain('journal.next.jsonl');
    await expectOpens(harness, COMMITS + 1);
  });

  test('after the rename of the old segment is completed', async () => {
    const harness = createHarnessWithout(files.wal);
    harness.disk.plant(harness.path(closedSegmentName(10)), wal);
    harness.disk.plant(files.nextWal, header(COMMITS + 1));
    const history = new History(COMMITS);
    await history.commits(await harness.open(), 1);
    expect(await harness.names()).toContain('journal.jsonl');
    expect(await harness.names()).not.toContain('journal.next.jsonl');
    await expectOpens(harness, COMMITS + 1);
  });
});

describe('a start rejects', () => {
  test('a segment of an earlier start than the previous one', async () => {
    const what = expect.stringContaining('earlier start');
    const harness = needingAll(header(10, epoch - 1));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: 0, what });
  });

  test('a torn segment that is not the last', async () => {
    const harness = needingAll(segment(12, 14));
    const file = harness.path(closedSegmentName(10));
    harness.disk.plant(file, segment(10, 11).subarray(0, -10));
    await expectOpenError(harness, { kind: 'damaged', file, offset: segment(10, 10).length });
  });

  test('a segment whose predecessor is missing', async () => {
    const harness = needingAll(segment(12, 14));
    const after = expect.stringMatching(/starts with commit 12, but .* ends with 9$/);
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: 0, what: after });
    harness.disk.unplant(closedSegment);
    const missing = expect.stringContaining('commits 5 to 11 before it are missing');
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: 0, what: missing });
  });

  test.each([
    ['an unknown table', '["put","unknown",{}]'],
    ['an invalid row', '["put","groups",{"groupId":7,"roles":"all"}]'],
    ['an unknown change', '["spoil","groups","n00000001"]'],
    ['a value that is not a change', '7'],
  ])('a commit with %s, reporting its position in one line', async (_, change) => {
    const start = `{"sequence":15,"last":15,"epoch":2,"previousHash":"${chainAt(14).lastHash}","bytes":${change.length + 2},"changes":[${change}],"first":15`;
    const what = expect.stringContaining("commit 15 can't be applied: ");
    const harness = createHarnessWith(files.wal, Buffer.concat([wal, withCrc(start)]));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: wal.length, what });
  });

  test.each([
    ['no commit', '{"sequence":"15"'],
    ['no object', '[15'],
  ])('a line with a valid CRC that is %s, followed by another one', async (_, start) => {
    const next = '{"sequence":16,"last":16,"epoch":2,"bytes":2,"changes":[],"first":16';
    const harness = createHarnessWith(files.wal, Buffer.concat([wal, withCrc(start), withCrc(next)]));
    await expectOpenError(harness, { kind: 'damaged', file: files.wal, offset: wal.length });
  });

  test('a previous checkpoint of a newer version, if it is needed', async () => {
    const harness = createHarnessWith(files.checkpoint, Buffer.from('{}'));
    harness.disk.plant(files.previous, withVersion(model.bytes(files.previous), FORMAT_VERSION + 1));
    await expectOpenError(harness, { kind: 'newer-format', file: files.previous });
  });

  test('two damaged checkpoints, reporting the current one', async () => {
    const harness = createHarnessWith(files.checkpoint, Buffer.from('{}'));
    harness.disk.plant(files.previous, Buffer.from('{}'));
    await expectOpenError(harness, { kind: 'damaged', file: files.checkpoint });
  });
});
