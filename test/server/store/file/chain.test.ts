/** Files of another store, or of a copy with different later commits, stop the start. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openExitCodes } from '../../../../src/server/store/open-error.ts';
import { COMMITS, closedSegment, createHarnessWith, model, snapshot, wal } from '../damaged-store.ts';
import { History } from '../history.ts';
import { backupFile, catchOpenError, createOfflineStoreOn } from '../maintenance/offline-harness.ts';
import { expectOpenError, expectOpens } from '../store-assertions.ts';
import { files, StoreHarness } from '../store-harness.ts';

/** Another store with the same history. */
const other = await (async () => {
  const harness = new StoreHarness();
  const history = new History();
  const store = await harness.open();
  for (const count of [4, 5]) {
    await history.commits(store, count);
    await store.checkpoint();
  }
  await history.commits(store, 5);
  return harness;
})();

function storeIdOf(harness: StoreHarness): string {
  return (JSON.parse(harness.bytes(files.marker).toString()) as { storeId: string }).storeId;
}

/** A copy of the model with one or more commits of its own, which `padding` distinguishes from those of other copies. */
async function diverge(padding: number, count: number, checkpoints: boolean): Promise<StoreHarness> {
  const harness = model.copy();
  const store = await harness.open();
  const history = new History(COMMITS);
  for (let done = 0; done < count; done += 1) await history.commit(store, padding);
  if (checkpoints) await store.checkpoint();
  return harness;
}

/** Two copies of the model with different commits. */
function divergeTwice(count: number, otherCount: number, checkpoints: boolean, otherCheckpoints = checkpoints) {
  return Promise.all([diverge(20, count, checkpoints), diverge(30, otherCount, otherCheckpoints)]);
}

/** The same store with further commits. */
async function goOn(from: StoreHarness, count: number): Promise<StoreHarness> {
  const harness = from.copy();
  const store = await harness.open();
  await new History(COMMITS + 1).commits(store, count);
  return harness;
}

test('a store has an id of its own, which all of its files contain', async () => {
  const id = storeIdOf(model);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(storeIdOf(other)).not.toBe(id);
  for (const file of [files.marker, files.checkpoint, files.previous, files.wal, closedSegment])
    expect(model.bytes(file).toString(), file).toContain(`"storeId":"${id}"`);
});

describe('a file of another store stops the start', () => {
  test.each([
    ['checkpoint', files.checkpoint],
    ['write-ahead log', files.wal],
    ['closed segment, which is not needed', closedSegment],
  ])('%s', async (_, file) => {
    const harness = createHarnessWith(file, other.bytes(file));
    await expectOpenError(harness, {
      kind: 'foreign',
      file,
      message: expect.stringMatching(
        new RegExp(
          `^${file}: it belongs to the store ${storeIdOf(other)}, but ${files.marker} is of ${storeIdOf(model)}\\.`,
        ),
      ),
    });
    const report = await createOfflineStoreOn(harness.disk).verify('/store');
    expect(report).toMatchObject({ sound: false, opens: false });
    expect(report.files.filter(({ damage }) => damage !== undefined)).toMatchObject([{ name: path.basename(file) }]);
    const before = await snapshot(harness);
    expect(await catchOpenError(createOfflineStoreOn(harness.disk).repair('/store'))).toMatchObject({
      kind: 'foreign',
    });
    expect(await snapshot(harness)).toEqual(before);
  });

  test('marker', async () => {
    const harness = createHarnessWith(files.marker, other.bytes(files.marker));
    await expectOpenError(harness, { kind: 'foreign', file: files.checkpoint });
  });

  test('previous checkpoint in place of a damaged one', async () => {
    const harness = createHarnessWith(files.previous, other.bytes(files.previous));
    await expectOpens(harness.copy(), COMMITS);
    harness.disk.plant(files.checkpoint, Buffer.from('{}'));
    await expectOpenError(harness, { kind: 'foreign', file: files.previous });
  });

  test('with exit code 14, as a damaged one does', () => {
    expect(openExitCodes.foreign).toBe(14);
  });
});

describe('a file of a copy with other commits of the same numbers stops the start', () => {
  test('newer log beside the checkpoint', async () => {
    const [one, copy] = await divergeTwice(1, 1, true);
    const log = (await goOn(copy, 2)).bytes(files.wal);
    await expectOpens(await goOn(one, 2), COMMITS + 3);
    one.disk.plant(files.wal, log);
    await expectOpenError(one, { kind: 'foreign', file: files.wal });
  });

  test('empty log beside the checkpoint', async () => {
    const [one, copy] = await divergeTwice(1, 1, true);
    one.disk.plant(files.wal, copy.bytes(files.wal));
    await expectOpenError(one, {
      kind: 'foreign',
      file: files.wal,
      what: `its commit ${COMMITS + 1} is not that of the checkpoint, so they are of two copies of the store`,
    });
  });

  test('checkpoint beside a log that reaches beyond it', async () => {
    const [one, copy] = await divergeTwice(2, 1, false, true);
    one.disk.plant(files.checkpoint, copy.bytes(files.checkpoint));
    await expectOpenError(one, { kind: 'foreign', file: files.wal });
  });

  test('segment after another one', async () => {
    const [one, copy] = await divergeTwice(1, 1, true);
    one.disk.plant(files.checkpoint, one.bytes(files.previous));
    await expectOpens(one.copy(), COMMITS + 1);
    one.disk.plant(files.wal, copy.bytes(files.wal));
    await expectOpenError(one, { kind: 'foreign', file: files.wal });
  });

  test('lines at the end of a segment', async () => {
    const [one, copy] = await divergeTwice(1, 2, false);
    const last = copy.bytes(files.wal).toString().trimEnd().split('\n').at(-1);
    const bytes = one.bytes(files.wal);
    one.disk.plant(files.wal, Buffer.concat([bytes, Buffer.from(`${last}\n`)]));
    await expectOpenError(one, { kind: 'foreign', file: files.wal, offset: bytes.length });
    const report = await createOfflineStoreOn(one.disk).verify('/store');
    expect(report).toMatchObject({ sound: false, opens: false });
  });

  test('and a repair keeps the commits of one of them', async () => {
    const [one, copy] = await divergeTwice(1, 1, true);
    one.disk.plant(files.wal, (await goOn(copy, 2)).bytes(files.wal));
    const offlineStore = createOfflineStoreOn(one.disk);
    expect(await offlineStore.previewRepair('/store')).toMatchObject({ keeps: COMMITS + 1, lostCommits: 2 });
    await offlineStore.repair('/store');
    await expectOpens(one, COMMITS + 1);
  });
});

describe('a restored store', () => {
  test('has a new id, so the files of before do not fit', async () => {
    const harness = model.copy();
    await harness.disk.makeFolder('/backups');
    const offlineStore = createOfflineStoreOn(harness.disk);
    await offlineStore.backup('/store', { file: backupFile, replace: false });
    expect(harness.bytes(backupFile).toString()).not.toContain('storeId');
    await offlineStore.restore(backupFile, '/store', true);
    expect(storeIdOf(harness)).not.toBe(storeIdOf(model));
    await expectOpens(harness.copy(), COMMITS);
    harness.disk.plant(files.wal, wal);
    await expectOpenError(harness, { kind: 'foreign', file: files.wal });
  });

  test('is not one whose checkpoint was replaced by a backup', async () => {
    const harness = model.copy();
    await harness.disk.makeFolder('/backups');
    await createOfflineStoreOn(harness.disk).backup('/store', { file: backupFile, replace: false });
    harness.disk.plant(files.checkpoint, harness.bytes(backupFile));
    await expectOpenError(harness, {
      kind: 'foreign',
      file: files.checkpoint,
      message: expect.stringContaining('iam store restore'),
    });
  });
});
