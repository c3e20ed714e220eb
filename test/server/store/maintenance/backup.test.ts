/** Backups of open and closed stores, and restores interrupted at any step. */
import { describe, expect, test } from 'vitest';
import { FORMAT_VERSION } from '../../../../src/server/store/file/layout.ts';
import { createBackup } from '../../../../src/server/store/maintenance/backup.ts';
import { COMMITS, flipBit, model, snapshot } from '../damaged-store.ts';
import type { FakeDisk, Loss } from '../fake-disk.ts';
import { countCommits, History, writeCommit } from '../history.ts';
import { between, createSeededRandom } from '../random.ts';
import { StoreHarness } from '../store-harness.ts';
import { withVersion } from '../with-version.ts';
import { backupFile, catchOpenError, createOfflineStoreOn } from './offline-harness.ts';

const writtenAt = '2024-05-01T12:00:00.000Z';

/** A disk with the backup of a store of seven commits, and optionally an old store of three commits in /store. */
async function diskWith(old: 'nothing' | 'a store'): Promise<FakeDisk> {
  disks[old] ??= makeDisk(old);
  return (await disks[old]).afterCrash('nothing');
}

const disks: { [Old in 'nothing' | 'a store']?: Promise<FakeDisk> } = {};

async function makeDisk(old: 'nothing' | 'a store'): Promise<FakeDisk> {
  const source = new StoreHarness();
  await new History().commits(await source.open(), 7);
  const harness = new StoreHarness();
  await harness.disk.makeFolder('/backups');
  await harness.disk.syncFolder('/');
  if (old === 'a store') {
    const store = await harness.open();
    await new History().commits(store, 3);
    await store.close();
  }
  harness.disk.plant(backupFile, Buffer.concat([...createBackup(await (await source.open()).dump(), writtenAt)]));
  return harness.disk;
}

describe('a backup', () => {
  test('of a store under load is consistent and contains all acknowledged commits', async () => {
    const harness = new StoreHarness();
    const store = await harness.open();
    const history = new History();
    for (let round = 1; round <= 12; round += 1) {
      const writing = history.burst(store, 5);
      if (round % 3 === 0) void store.checkpoint();
      const { acknowledged } = history;
      const dump = await store.dump();
      await writing;
      const restored = new StoreHarness();
      await restored.disk.makeFolder('/backups');
      restored.disk.plant(backupFile, Buffer.concat([...createBackup(dump, writtenAt)]));
      await createOfflineStoreOn(restored.disk).restore(backupFile, '/store', false);
      const found = await countCommits(await restored.open());
      expect(found).toBe(dump.sequence);
      expect(found).toBeGreaterThanOrEqual(acknowledged);
      expect(found).toBeLessThanOrEqual(history.attempted);
    }
  });

  test('of a closed store with a torn tail changes no file', async () => {
    const harness = model.copy();
    await harness.disk.makeFolder('/backups');
    await harness.disk.syncFolder('/');
    const journal = harness.bytes('/store/journal.jsonl');
    harness.disk.plant('/store/journal.jsonl', journal.subarray(0, -7));
    const before = await snapshot(harness);
    const written = await createOfflineStoreOn(harness.disk).backup('/store', {
      file: '/backups/new.json',
      replace: false,
    });
    expect(written).toMatchObject({
      file: '/backups/new.json',
      sequence: COMMITS - 1,
      writtenAt,
      tables: { groups: COMMITS },
    });
    expect(await snapshot(harness)).toEqual(before);
    expect(await createOfflineStoreOn(harness.disk).readBackup('/backups/new.json')).toMatchObject({
      info: { sequence: COMMITS - 1 },
    });
  });

  test('that is damaged is rejected with the position, and nothing is created', async () => {
    const disk = await diskWith('nothing');
    const bytes = disk.contents(backupFile) as Buffer;
    const random = createSeededRandom(26);
    const wrong = [Buffer.alloc(0), Buffer.from('null'), Buffer.from('{}'), Buffer.alloc(3000), bytes.subarray(0, -1)];
    for (let count = 0; count < 60; count += 1) {
      wrong.push(flipBit(bytes, between(random, 0, bytes.length), between(random, 0, 8)));
      wrong.push(bytes.subarray(0, between(random, 0, bytes.length)));
    }
    for (const contents of wrong) {
      disk.plant(backupFile, contents);
      const error = await catchOpenError(createOfflineStoreOn(disk).restore(backupFile, '/store', true));
      expect(error).toMatchObject({ kind: expect.stringMatching(/^(damaged|newer-format)$/), file: backupFile });
      expect(error.message).toMatch(/^\/backups\/backup\.json: .*\.$/);
      expect(await disk.list('/store')).toBeUndefined();
    }
  });

  test.each([
    ['key', (row: string) => row],
    ['groupName', (row: string) => row.replace(/"groupId":"[^"]*"/, '"groupId":"other"')],
  ])('with two rows of one %s is rejected, also with a right checksum, and nothing is created', async (what, copy) => {
    const disk = await diskWith('nothing');
    const text = (disk.contents(backupFile) as Buffer).toString();
    const changed = text.replace(/^\{"groupId".*\}$/m, (row) => `${row.replace(/,$/, '')},\n${copy(row)}`);
    expect(changed).not.toBe(text);
    disk.plant(backupFile, withVersion(Buffer.from(changed), FORMAT_VERSION));
    const error = await catchOpenError(createOfflineStoreOn(disk).restore(backupFile, '/store', true));
    expect(error).toMatchObject({ kind: 'damaged', what: `two rows of groups have the same ${what}` });
    expect(await disk.list('/store')).toBeUndefined();
  });

  test('with a number that is no time is rejected, also with a right checksum, and nothing is created', async () => {
    const disk = await diskWith('nothing');
    const text = (disk.contents(backupFile) as Buffer).toString();
    const changed = text.replace('"groups":[', '"counters":[\n{"last":9e15,"name":"customerId"}\n],\n"groups":[');
    expect(changed).not.toBe(text);
    disk.plant(backupFile, withVersion(Buffer.from(changed), FORMAT_VERSION));
    const error = await catchOpenError(createOfflineStoreOn(disk).restore(backupFile, '/store', true));
    expect(error).toMatchObject({ kind: 'damaged', what: 'not a valid row of counters', offset: expect.any(Number) });
    expect(await disk.list('/store')).toBeUndefined();
  });

  test('is not overwritten with an invalid backup', async () => {
    const disk = await diskWith('nothing');
    const before = disk.contents(backupFile);
    const target = { file: backupFile, replace: true };
    await catchOpenError(createOfflineStoreOn(disk).saveBackup(Buffer.from('<html>'), target));
    expect(disk.contents(backupFile)).toEqual(before);
  });

  test('replaces an existing file only if requested, and leaves no file after a failure', async () => {
    const disk = await diskWith('nothing');
    const bytes = disk.contents(backupFile) as Buffer;
    const store = createOfflineStoreOn(disk);
    disk.plant('/backups/other.json', Buffer.from('precious'));
    expect(await store.saveBackup(bytes, { file: '/backups/other.json', replace: false })).toBeUndefined();
    expect(disk.contents('/backups/other.json')?.toString()).toBe('precious');
    expect(await store.saveBackup(bytes, { file: '/backups/other.json', replace: true })).toMatchObject({ writtenAt });
    expect(disk.contents('/backups/other.json')).toEqual(bytes);
    disk.failAt('EIO', ({ kind }) => kind === 'rename');
    await catchOpenError(store.saveBackup(bytes, { file: '/backups/failed.json', replace: false }));
    expect(await disk.list('/backups')).toEqual(['backup.json', 'other.json']);
  });
});

describe('a restore', () => {
  test('over a store requires the replace option and quarantines the old store', async () => {
    const harness = new StoreHarness(await diskWith('a store'));
    const before = await snapshot(harness);
    const offlineStore = createOfflineStoreOn(harness.disk);
    expect(await catchOpenError(offlineStore.restore(backupFile, '/store', false))).toMatchObject({ kind: 'not-ours' });
    expect(await snapshot(harness)).toEqual(before);
    const { setAside } = await offlineStore.restore(backupFile, '/store', true);
    const singleFiles = ['set-aside.1.iam-store.json', 'set-aside.1.iam.json', 'set-aside.1.iam.previous.json'];
    expect(setAside).toEqual([...singleFiles, ...listSegments(before)]);
    for (const name of setAside)
      expect(harness.bytes(harness.path(name)).toString('latin1')).toBe(before[name.replace('set-aside.1.', '')]);
    const store = await harness.open();
    expect(await countCommits(store)).toBe(7);
    await writeCommit(store, 8);
    await store.close();
    expect(await countCommits(await harness.open())).toBe(8);
  });

  test('over an open store is rejected, also with the replace option', async () => {
    const harness = new StoreHarness(await diskWith('a store'));
    const open = await harness.open();
    const offlineStore = createOfflineStoreOn(harness.disk, harness.machine);
    for (const work of [
      () => offlineStore.restore(backupFile, '/store', true),
      () => offlineStore.repair('/store'),
      () => offlineStore.verify('/store'),
      () => offlineStore.backup('/store', { file: backupFile, replace: true }),
    ])
      expect(await catchOpenError(work())).toMatchObject({ kind: 'in-use', pid: expect.any(Number) });
    expect(await countCommits(open)).toBe(3);
  });

  test('into a folder with other files is rejected and changes nothing', async () => {
    const disk = await diskWith('nothing');
    await disk.makeFolder('/store');
    disk.plant('/store/holiday.jpg', Buffer.from('x'));
    expect(await catchOpenError(createOfflineStoreOn(disk).restore(backupFile, '/store', true))).toMatchObject({
      kind: 'not-ours',
    });
    expect(await disk.list('/store')).toEqual(['holiday.jpg']);
  });

  test.each([
    ['nothing', 0],
    ['a store', 3],
  ] as const)('over %s that is interrupted at any step, also repeatedly, is atomic', async (old, commits) => {
    const outcomes = new Set<number>();
    let refusals = 0;
    const losses: Loss[] = ['nothing', 'everything', { random: createSeededRandom(1) }];
    const whole = await diskWith(old);
    await createOfflineStoreOn(whole).restore(backupFile, '/store', true);
    for (const loss of losses) {
      for (let at = 0; at <= whole.operations.length; at += 1) {
        const harness = new StoreHarness(await diskWith(old));
        const before = old === 'nothing' ? {} : await snapshot(harness);
        harness.disk.loseAt((_, count) => count === at);
        await createOfflineStoreOn(harness.disk)
          .restore(backupFile, '/store', true)
          .catch(() => {});
        harness.crash(loss);
        const counted = await isRestored(harness);
        const isMarked = (await harness.names()).includes('iam-store.json');
        harness.disk.loseAt((_, count) => count === at % 9);
        await harness.open().catch(() => {});
        harness.crash(loss);
        const [store, isRefused] = await openOrRestore(harness);
        const found = await countCommits(store);
        if (old === 'nothing' && isMarked) expect(found).toBe(7);
        refusals += Number(isRefused);
        // The next start must not revert a committed restore.
        if (counted) expect(found).toBe(7);
        expect([commits, 7]).toContain(found);
        outcomes.add(found);
        await store.close();
        if (found === 7) await expectUnchanged(harness, before);
      }
    }
    expect([...outcomes].sort()).toEqual([commits, 7]);
    expect(refusals > 0).toBe(old === 'nothing');
  });
});

/** No server starts on a folder whose restore was interrupted: an empty store would look like the restored one. */
async function openOrRestore(harness: StoreHarness) {
  const opened = await harness.open().catch((error: Error) => error);
  if (!(opened instanceof Error)) return [opened, false] as const;
  expect(opened.message).toContain('a restore or a copy that was interrupted');
  expect(await createOfflineStoreOn(harness.disk).verify('/store')).toMatchObject({
    opens: false,
    refusal: opened.message,
  });
  await createOfflineStoreOn(harness.disk).restore(backupFile, '/store', false);
  return [await harness.open(), true] as const;
}

/** Whether the complete backup has a committed name. */
async function isRestored(harness: StoreHarness): Promise<boolean> {
  const backup = harness.bytes(backupFile);
  const names = (await harness.names()).filter((name) => /^iam\.(replacement\.\d+\.)?json$/.test(name));
  return names.some((name) => harness.bytes(harness.path(name)).equals(backup));
}

function listSegments(files: Record<string, string>): string[] {
  const names = Object.keys(files).filter((name) => name.startsWith('journal'));
  return names.map((name) => `set-aside.1.${name}`).sort();
}

/** Asserts that every file of the old store still exists, possibly quarantined. */
async function expectUnchanged(harness: StoreHarness, before: Record<string, string>): Promise<void> {
  const contents = (await harness.names()).map((name) => harness.bytes(harness.path(name)).toString('latin1'));
  for (const [name, text] of Object.entries(before))
    if (name.startsWith('iam.') || name.startsWith('journal')) expect(contents).toContain(text);
}
