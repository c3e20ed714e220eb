/** Looking at stores that are whole, torn or damaged, and what a repair keeps of them. */
import { describe, expect, test } from 'vitest';
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
} from './damaged-store.ts';
import { countCommits } from './history.ts';
import { catchOpenError, createOfflineStoreOn } from './offline-harness.ts';
import { createSeededRandom } from './random.ts';
import { expectOpens } from './store-assertions.ts';
import { files, type StoreHarness } from './store-harness.ts';

/** The journal as it is with a bit flipped in its third commit, which is commit 12 of the store. */
const damagedJournal = flipBit(wal, (lineOffsets[3] as number) + 40, 3);
const damagedCheckpoint = flipBit(model.bytes(files.checkpoint), 900, 2);

/** Looks, and sees to it that nothing was written. */
async function expectVerified(bench: StoreHarness) {
  const before = await snapshot(bench);
  const operations = bench.disk.operations.length;
  const report = await createOfflineStoreOn(bench.disk).verify('/store');
  expect(bench.disk.operations).toHaveLength(operations);
  expect(await snapshot(bench)).toEqual(before);
  return report;
}

describe('verify', () => {
  test('tells of a whole store what it holds, file by file', async () => {
    const report = await expectVerified(model.copy());
    expect(report).toMatchObject({
      ...{ formatVersion: 1, sound: true, opens: true, sequence: COMMITS, notes: [] },
      tables: { groups: COMMITS + 1, users: 0 },
    });
    const holds = Object.fromEntries(report.files.map(({ name, holds: what }) => [name, what]));
    expect(holds).toEqual({
      'iam-store.json': 'the marker: initialised',
      'iam.json': expect.stringMatching(/^10 rows, up to commit 9, written at /),
      'iam.previous.json': expect.stringMatching(/^5 rows, up to commit 4, written at /),
      'journal.000000000005.jsonl': '5 commits, 5 to 9',
      'journal.jsonl': '5 commits, 10 to 14',
    });
    for (const { sha256, bytes } of report.files) expect([sha256.length, bytes > 0]).toEqual([64, true]);
  });

  test('takes what a crash leaves for what it is', async () => {
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
    ['the journal', files.wal, damagedJournal, false],
    ['the checkpoint, which the one before stands in for', files.checkpoint, damagedCheckpoint, true],
    ['the checkpoint before, which nothing needs', files.previous, Buffer.from('{}'), true],
    ['a segment that only the checkpoint before needs', closedSegment, Buffer.alloc(900), true],
    ['the marker', files.marker, Buffer.from('null'), false],
  ])('names damage in %s', async (_, file, contents, opens) => {
    const report = await expectVerified(createHarnessWith(file, contents));
    expect(report).toMatchObject({ sound: false, opens });
    const damaged = report.files.filter(({ damage }) => damage !== undefined);
    expect(damaged).toMatchObject([{ name: file.replace('/store/', ''), damage: { offset: expect.any(Number) } }]);
    expect(report.refusal === undefined).toBe(opens);
  });

  test('refuses what is no store, and what a newer version wrote', async () => {
    const { disk } = model.copy();
    await disk.makeFolder('/else');
    expect(await catchOpenError(createOfflineStoreOn(disk).verify('/else'))).toMatchObject({ kind: 'not-ours' });
    expect(await catchOpenError(createOfflineStoreOn(disk).verify('/nowhere'))).toMatchObject({ kind: 'not-ours' });
    for (const file of [files.marker, files.checkpoint]) {
      const text = model.bytes(file).toString().replace('"formatVersion":1', '"formatVersion":2');
      const newer = createHarnessWith(file, Buffer.from(text));
      for (const name of ['verify', 'previewRepair', 'repair'] as const)
        expect(await catchOpenError(createOfflineStoreOn(newer.disk)[name]('/store'))).toMatchObject({
          kind: 'newer-format',
          file,
        });
    }
  });
});

/** Repairs, and sees to it that every file of before is still there, and that what is there now is whole. */
async function expectRepaired(bench: StoreHarness, commits: number): Promise<void> {
  const before = await snapshot(bench);
  const { setAside } = await createOfflineStoreOn(bench.disk).repair('/store');
  const after = Object.values(await snapshot(bench));
  for (const [name, text] of Object.entries(before)) if (!name.endsWith('marker')) expect(after).toContain(text);
  expect(setAside.length).toBeGreaterThan(0);
  expect(await expectVerified(bench)).toMatchObject({ sound: true, opens: true, sequence: commits });
  await expectOpens(bench, commits);
}

describe('a repair', () => {
  test('keeps everything before the damage, and tells what comes after', async () => {
    const bench = createHarnessWith(files.wal, damagedJournal);
    const before = await snapshot(bench);
    const plan = await createOfflineStoreOn(bench.disk).previewRepair('/store');
    expect(plan).toMatchObject({
      ...{ keeps: 11, rows: 12, lostCommits: 2, unreadableLines: 1 },
      lost: [{ table: 'groups', puts: 4, deletes: 0 }],
    });
    expect(await snapshot(bench)).toEqual(before);
    await expectRepaired(bench, 11);
    expect(await createOfflineStoreOn(bench.disk).previewRepair('/store')).toBeUndefined();
  });

  test.each([
    ['the journal, all of it', () => createHarnessWith(files.wal, Buffer.alloc(500)), 9],
    ['the journal, which is missing', () => createHarnessWithout(files.wal), 9],
    ['the checkpoint and a segment before it', () => createDoublyDamaged(closedSegment), 4],
    ['the checkpoint alone', () => createHarnessWith(files.checkpoint, damagedCheckpoint), COMMITS],
    ['the marker alone', () => createHarnessWith(files.marker, Buffer.from('{}')), COMMITS],
    ['the checkpoint before, which nothing needs', () => createHarnessWith(files.previous, Buffer.alloc(0)), COMMITS],
  ])('of %s keeps the longest beginning that there is', async (_, broken, commits) => {
    await expectRepaired(broken(), commits);
  });

  test('changes nothing where nothing is damaged', async () => {
    const bench = model.copy();
    const before = await snapshot(bench);
    expect(await createOfflineStoreOn(bench.disk).repair('/store')).toEqual({ folder: '/store', setAside: [] });
    expect(await snapshot(bench)).toEqual(before);
  });

  test('is refused where there is nothing to begin with', async () => {
    const bench = createHarnessWithout(files.checkpoint, files.previous);
    const before = await snapshot(bench);
    const error = await catchOpenError(createOfflineStoreOn(bench.disk).repair('/store'));
    expect(error).toMatchObject({ kind: 'damaged', message: expect.stringContaining('backup') });
    expect(await snapshot(bench)).toEqual(before);
  });

  test('that is broken off at any step can be done again, or is finished by the next start', async () => {
    const whole = createHarnessWith(files.wal, damagedJournal);
    await createOfflineStoreOn(whole.disk).repair('/store');
    for (let at = 0; at <= whole.disk.operations.length; at += 1) {
      const bench = createHarnessWith(files.wal, damagedJournal);
      bench.disk.loseAt((_, count) => count === at);
      await createOfflineStoreOn(bench.disk)
        .repair('/store')
        .catch(() => {});
      bench.crash({ random: createSeededRandom(at) });
      await createOfflineStoreOn(bench.disk).repair('/store');
      const store = await bench.open();
      expect(await countCommits(store)).toBe(11);
      await store.close();
    }
  });
});

function createDoublyDamaged(other: string): StoreHarness {
  const bench = createHarnessWith(files.checkpoint, damagedCheckpoint);
  bench.disk.plant(other, Buffer.alloc(900));
  return bench;
}
