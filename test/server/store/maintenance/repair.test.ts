/** Verify and repair of intact, torn and damaged stores. */
import { describe, expect, test } from 'vitest';
import { FORMAT_VERSION } from '../../../../src/server/store/file/layout.ts';
import {
  COMMITS,
  closedSegment,
  createHarnessWith,
  createHarnessWithout,
  flipBit,
  lineOffsets,
  model,
  snapshot,
  wal,
} from '../damaged-store.ts';
import { countCommits } from '../history.ts';
import { createSeededRandom } from '../random.ts';
import { expectOpens } from '../store-assertions.ts';
import { files, type StoreHarness } from '../store-harness.ts';
import { withVersion } from '../with-version.ts';
import { catchOpenError, createOfflineStoreOn } from './offline-harness.ts';

/** The write-ahead log with a flipped bit in its third commit, commit 12 of the store. */
const damagedWal = flipBit(wal, (lineOffsets[3] as number) + 40, 3);
const damagedCheckpoint = flipBit(model.bytes(files.checkpoint), 900, 2);

/** Verifies the store and asserts that nothing was written. */
async function expectVerified(harness: StoreHarness) {
  const before = await snapshot(harness);
  const operations = harness.disk.operations.length;
  const report = await createOfflineStoreOn(harness.disk).verify('/store');
  expect(harness.disk.operations).toHaveLength(operations);
  expect(await snapshot(harness)).toEqual(before);
  return report;
}

describe('verify', () => {
  test('reports the contents of an intact store by file', async () => {
    const report = await expectVerified(model.copy());
    expect(report).toMatchObject({
      ...{ formatVersion: FORMAT_VERSION, sound: true, opens: true, sequence: COMMITS, notes: [] },
      tables: { groups: COMMITS + 1, users: 0 },
    });
    const holds = Object.fromEntries(report.files.map(({ name, holds: what }) => [name, what]));
    expect(holds).toEqual({
      'iam-store.json': expect.stringMatching(/^the marker: initialised, store [0-9a-f]{16}$/),
      'iam.json': expect.stringMatching(/^10 rows, up to commit 9, written at /),
      'iam.previous.json': expect.stringMatching(/^5 rows, up to commit 4, written at /),
      'journal.000000000005.jsonl': '5 commits, 5 to 9',
      'journal.jsonl': '5 commits, 10 to 14',
    });
    for (const { sha256, bytes } of report.files) expect([sha256.length, bytes > 0]).toEqual([64, true]);
  });

  test('does not report remains of a crash as damage', async () => {
    const torn = await expectVerified(createHarnessWith(files.wal, wal.subarray(0, -10)));
    expect(torn).toMatchObject({ sound: true, opens: true, sequence: COMMITS - 1, notes: [expect.any(String)] });
    const temporary = model.copy();
    temporary.disk.plant(`${files.checkpoint}.tmp`, Buffer.from('half'));
    expect(await expectVerified(temporary)).toMatchObject({
      sound: true,
      notes: [expect.stringContaining('temporary')],
    });
  });

  test.each([
    ['the write-ahead log', files.wal, damagedWal, false],
    ['the checkpoint, which the previous one replaces', files.checkpoint, damagedCheckpoint, true],
    ['the previous checkpoint, which is not needed', files.previous, Buffer.from('{}'), true],
    ['a segment that only the previous checkpoint needs', closedSegment, Buffer.alloc(900), true],
    ['the marker', files.marker, Buffer.from('null'), false],
  ])('reports damage in %s', async (_, file, contents, opens) => {
    const report = await expectVerified(createHarnessWith(file, contents));
    expect(report).toMatchObject({ sound: false, opens });
    const damaged = report.files.filter(({ damage }) => damage !== undefined);
    expect(damaged).toMatchObject([{ name: file.replace('/store/', ''), damage: { offset: expect.any(Number) } }]);
    expect(report.refusal === undefined).toBe(opens);
  });

  test('rejects a folder without a store, and a newer format', async () => {
    const { disk } = model.copy();
    await disk.makeFolder('/else');
    expect(await catchOpenError(createOfflineStoreOn(disk).verify('/else'))).toMatchObject({ kind: 'not-ours' });
    expect(await catchOpenError(createOfflineStoreOn(disk).verify('/missing'))).toMatchObject({ kind: 'not-ours' });
    for (const file of [files.marker, files.checkpoint]) {
      const newer = createHarnessWith(file, withVersion(model.bytes(file), FORMAT_VERSION + 1));
      for (const name of ['verify', 'previewRepair', 'repair'] as const)
        expect(await catchOpenError(createOfflineStoreOn(newer.disk)[name]('/store'))).toMatchObject({
          kind: 'newer-format',
          file,
        });
    }
  });
});

/** Repairs the store; asserts that every old file is retained and that the result is intact. */
async function expectRepaired(harness: StoreHarness, commits: number): Promise<void> {
  const before = await snapshot(harness);
  const { setAside } = await createOfflineStoreOn(harness.disk).repair('/store');
  const after = Object.values(await snapshot(harness));
  for (const [name, text] of Object.entries(before)) if (!name.endsWith('marker')) expect(after).toContain(text);
  expect(setAside.length).toBeGreaterThan(0);
  expect(await expectVerified(harness)).toMatchObject({ sound: true, opens: true, sequence: commits });
  await expectOpens(harness, commits);
}

describe('a repair', () => {
  test('retains everything before the damage and reports what is lost', async () => {
    const harness = createHarnessWith(files.wal, damagedWal);
    const before = await snapshot(harness);
    const preview = await createOfflineStoreOn(harness.disk).previewRepair('/store');
    expect(preview).toMatchObject({
      ...{ keeps: 11, rows: 12, lostCommits: 2, unreadableLines: 1 },
      lost: [{ table: 'groups', puts: 4, deletes: 0 }],
    });
    expect(await snapshot(harness)).toEqual(before);
    await expectRepaired(harness, 11);
    expect(await createOfflineStoreOn(harness.disk).previewRepair('/store')).toBeUndefined();
  });

  test.each([
    ['the whole write-ahead log', () => createHarnessWith(files.wal, Buffer.alloc(500)), 9],
    ['the missing write-ahead log', () => createHarnessWithout(files.wal), 9],
    ['the checkpoint and a segment before it', () => createDoublyDamaged(closedSegment), 4],
    ['the checkpoint alone', () => createHarnessWith(files.checkpoint, damagedCheckpoint), COMMITS],
    ['the marker alone', () => createHarnessWith(files.marker, Buffer.from('{}')), COMMITS],
    ['the previous checkpoint, which is not needed', () => createHarnessWith(files.previous, Buffer.alloc(0)), COMMITS],
  ])('of %s retains the longest consistent history', async (_, broken, commits) => {
    await expectRepaired(broken(), commits);
  });

  test('changes nothing if nothing is damaged', async () => {
    const harness = model.copy();
    const before = await snapshot(harness);
    expect(await createOfflineStoreOn(harness.disk).repair('/store')).toEqual({ folder: '/store', setAside: [] });
    expect(await snapshot(harness)).toEqual(before);
  });

  test('is rejected if no state is recoverable', async () => {
    const harness = createHarnessWithout(files.checkpoint, files.previous);
    const before = await snapshot(harness);
    const error = await catchOpenError(createOfflineStoreOn(harness.disk).repair('/store'));
    expect(error).toMatchObject({ kind: 'damaged', message: expect.stringContaining('backup') });
    expect(await snapshot(harness)).toEqual(before);
  });

  test('that is interrupted at any step can be repeated or is completed by the next start', async () => {
    const whole = createHarnessWith(files.wal, damagedWal);
    await createOfflineStoreOn(whole.disk).repair('/store');
    for (let at = 0; at <= whole.disk.operations.length; at += 1) {
      const harness = createHarnessWith(files.wal, damagedWal);
      harness.disk.loseAt((_, count) => count === at);
      await createOfflineStoreOn(harness.disk)
        .repair('/store')
        .catch(() => {});
      harness.crash({ random: createSeededRandom(at) });
      await createOfflineStoreOn(harness.disk).repair('/store');
      const store = await harness.open();
      expect(await countCommits(store)).toBe(11);
      await store.close();
    }
  });
});

function createDoublyDamaged(other: string): StoreHarness {
  const harness = createHarnessWith(files.checkpoint, damagedCheckpoint);
  harness.disk.plant(other, Buffer.alloc(900));
  return harness;
}
