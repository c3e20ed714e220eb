/** Backups of open and of closed stores, and what a restore makes of them, whenever it is broken off. */
import { describe, expect, test } from 'vitest';
import { createBackup } from '../../../src/server/store/json/backup.ts';
import { COMMITS, flipBit, model, snapshot } from './damaged-store.ts';
import type { FakeDisk, Loss } from './fake-disk.ts';
import { countCommits, History, writeCommit } from './history.ts';
import { backupFile, catchOpenError, createOfflineStoreOn } from './offline-harness.ts';
import { between, createSeededRandom } from './random.ts';
import { StoreHarness } from './store-harness.ts';

const writtenAt = '2024-05-01T12:00:00.000Z';

/** A disk with the backup of a store of seven commits, and an old store of three in /store where asked for. */
async function diskWith(old: 'nothing' | 'a store'): Promise<FakeDisk> {
  made[old] ??= makeDisk(old);
  return (await made[old]).afterCrash('nothing');
}

const made: { [Old in 'nothing' | 'a store']?: Promise<FakeDisk> } = {};

async function makeDisk(old: 'nothing' | 'a store'): Promise<FakeDisk> {
  const source = new StoreHarness();
  await new History().commits(await source.open(), 7);
  const bench = new StoreHarness();
  await bench.disk.makeFolder('/backups');
  if (old === 'a store') {
    const store = await bench.open();
    await new History().commits(store, 3);
    await store.close();
  }
  bench.disk.plant(backupFile, Buffer.concat([...createBackup(await (await source.open()).dump(), writtenAt)]));
  return bench.disk;
}

describe('a backup', () => {
  test('of a store that is written to all the while holds a state of its history, with all that was answered', async () => {
    const bench = new StoreHarness();
    const store = await bench.open();
    const history = new History();
    for (let round = 1; round <= 12; round += 1) {
      const writing = history.burst(store, 5);
      if (round % 3 === 0) void store.checkpoint();
      const { acknowledged: answered } = history;
      const image = await store.dump();
      await writing;
      const restored = new StoreHarness();
      await restored.disk.makeFolder('/backups');
      restored.disk.plant(backupFile, Buffer.concat([...createBackup(image, writtenAt)]));
      await createOfflineStoreOn(restored.disk).restore(backupFile, '/store', false);
      const found = await countCommits(await restored.open());
      expect(found).toBe(image.sequence);
      expect(found).toBeGreaterThanOrEqual(answered);
      expect(found).toBeLessThanOrEqual(history.attempted);
    }
  });

  test('of files, torn tail and all, changes none of them', async () => {
    const bench = model.copy();
    await bench.disk.makeFolder('/backups');
    const journal = bench.bytes('/store/journal.jsonl');
    bench.disk.plant('/store/journal.jsonl', journal.subarray(0, -7));
    const before = await snapshot(bench);
    const written = await createOfflineStoreOn(bench.disk).backup('/store', '/backups');
    expect(written).toMatchObject({ sequence: COMMITS - 1, writtenAt, tables: { groups: COMMITS } });
    expect(written.file).toBe(`/backups/iam-backup-2024-05-01T120000000Z-${COMMITS - 1}.json`);
    expect(await snapshot(bench)).toEqual(before);
    expect(await createOfflineStoreOn(bench.disk).readBackup(written.file)).toMatchObject({ sequence: COMMITS - 1 });
  });

  test('that is damaged anywhere is refused with the place, and nothing is made', async () => {
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

  test('is not written over with what is none', async () => {
    const disk = await diskWith('nothing');
    const before = disk.contents(backupFile);
    await catchOpenError(createOfflineStoreOn(disk).saveBackup(Buffer.from('<html>'), backupFile));
    expect(disk.contents(backupFile)).toEqual(before);
  });
});

describe('a restore', () => {
  test('over a store needs to be told, and sets the old one aside', async () => {
    const bench = new StoreHarness(await diskWith('a store'));
    const before = await snapshot(bench);
    const tools = createOfflineStoreOn(bench.disk);
    expect(await catchOpenError(tools.restore(backupFile, '/store', false))).toMatchObject({ kind: 'not-ours' });
    expect(await snapshot(bench)).toEqual(before);
    const { setAside } = await tools.restore(backupFile, '/store', true);
    expect(setAside).toEqual(['set-aside.1.iam.json', 'set-aside.1.iam.previous.json', ...listSegments(before)]);
    for (const name of setAside)
      expect(bench.bytes(bench.path(name)).toString('latin1')).toBe(before[name.replace('set-aside.1.', '')]);
    const store = await bench.open();
    expect(await countCommits(store)).toBe(7);
    await writeCommit(store, 8);
    await store.close();
    expect(await countCommits(await bench.open())).toBe(8);
  });

  test('over a store that somebody has open is refused, whatever is said', async () => {
    const bench = new StoreHarness(await diskWith('a store'));
    const open = await bench.open();
    const tools = createOfflineStoreOn(bench.disk, bench.machine);
    for (const work of [
      () => tools.restore(backupFile, '/store', true),
      () => tools.repair('/store'),
      () => tools.verify('/store'),
      () => tools.backup('/store', backupFile),
    ])
      expect(await catchOpenError(work())).toMatchObject({ kind: 'in-use', pid: expect.any(Number) });
    expect(await countCommits(open)).toBe(3);
  });

  test('into a folder of something else is refused, and leaves it alone', async () => {
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
  ] as const)(
    'over %s that is broken off at any step, once or again, leaves all of it or none',
    async (old, commits) => {
      const outcomes = new Set<number>();
      const losses: Loss[] = ['nothing', 'everything', { random: createSeededRandom(1) }];
      const whole = await diskWith(old);
      await createOfflineStoreOn(whole).restore(backupFile, '/store', true);
      for (const loss of losses) {
        for (let at = 0; at <= whole.operations.length; at += 1) {
          const bench = new StoreHarness(await diskWith(old));
          const before = old === 'nothing' ? {} : await snapshot(bench);
          bench.disk.loseAt((_, count) => count === at);
          await createOfflineStoreOn(bench.disk)
            .restore(backupFile, '/store', true)
            .catch(() => {});
          bench.crash(loss);
          const counted = await isRestored(bench);
          bench.disk.loseAt((_, count) => count === at % 9);
          await bench.open().catch(() => {});
          bench.crash(loss);
          const store = await bench.open();
          const found = await countCommits(store);
          // What counted once must not be taken back by the next start.
          if (counted) expect(found).toBe(7);
          expect([commits, 7]).toContain(found);
          outcomes.add(found);
          await store.close();
          if (found === 7) await expectUnchanged(bench, before);
        }
      }
      expect([...outcomes].sort()).toEqual([commits, 7]);
    },
  );
});

/** Whether the whole backup is there under a name that counts. */
async function isRestored(bench: StoreHarness): Promise<boolean> {
  const backup = bench.bytes(backupFile);
  const names = (await bench.names()).filter((name) => /^iam\.(replacement\.\d+\.)?json$/.test(name));
  return names.some((name) => bench.bytes(bench.path(name)).equals(backup));
}

function listSegments(files: Record<string, string>): string[] {
  const names = Object.keys(files).filter((name) => name.startsWith('journal'));
  return names.map((name) => `set-aside.1.${name}`).sort();
}

/** Every file of the old store is still there, under a name that says so. */
async function expectUnchanged(bench: StoreHarness, before: Record<string, string>): Promise<void> {
  const contents = (await bench.names()).map((name) => bench.bytes(bench.path(name)).toString('latin1'));
  for (const [name, text] of Object.entries(before))
    if (name.startsWith('iam.') || name.startsWith('journal')) expect(contents).toContain(text);
}
