import { copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startFakeServer } from '../../../client/fake-server.ts';
import { adminClient, startServer } from '../../../harness.ts';
import { countCommits, History } from '../../../server/store/history.ts';
import { openStore } from '../../../server/store/temp-store.ts';
import { createScriptedPrompter } from '../../prompts/scripted-prompter.ts';
import { Home, test } from '../../run-cli.ts';

interface Stores extends AsyncDisposable {
  readonly home: Home;
  /** A store with four commits and a checkpoint after the second. */
  readonly folder: string;
}

async function makeStores(): Promise<Stores> {
  const home = await Home.make();
  const folder = home.file('store');
  const store = await openStore(folder);
  const history = new History();
  await history.commits(store, 2);
  await store.checkpoint();
  await history.commits(store, 2);
  await store.close();
  return { home, folder, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

async function commitsIn(folder: string): Promise<number> {
  const store = await openStore(folder);
  return countCommits(store).finally(() => store.close());
}

async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0x20, 300, 310));
}

/** A store after a crash: the first checkpoint, and a write-ahead log whose second commit is damaged. */
async function damageJournal(folder: string): Promise<void> {
  const file = path.join(folder, 'journal.000000000003.jsonl');
  await damage(file);
  await damage(path.join(folder, 'iam.json'));
}

describe('backup and restore', () => {
  test('of a running server restore its data with owner-only access', async ({ home }) => {
    await using server = await startServer();
    await server.admin.groups.create({ body: { groupName: 'stored' } });
    const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    const iam = (words: string[]) => home.iam(words, { url: server.url, variables });
    const backup = await iam(['store', 'backup', '--to', home.folder]);
    expect(backup).toMatchObject({ code: 0, err: expect.stringContaining('signing keys') });
    const file = backup.out.trim();
    expect(file).toBe(home.file('iam-20270115T080000Z.json'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const folder = home.file('restored');
    const restored = await iam(['store', 'restore', file, '--data', folder, '-o', 'json']);
    expect(JSON.parse(restored.out)).toMatchObject({ folder, tables: { signingKeys: 1 }, setAside: [] });
    const store = await openStore(folder);
    expect(await store.groups.getBy('groupName', 'stored')).toBeDefined();
    expect(await store.signingKeys.list()).toEqual(await server.appContext.store.signingKeys.list());
    const verified = await iam(['store', 'verify', '--data', folder]);
    expect(verified).toMatchObject({ code: 13, err: expect.stringContaining(`process ${process.pid}`) });
    const over = await iam(['store', 'restore', file, '--data', folder, '--force', '--confirm', 'restored']);
    expect(over.code).toBe(13);
    await store.close();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test.each(['online', 'offline'])('%s create a folder, and replace a file only with --force', async (kind) => {
    await using stores = await makeStores();
    await using server = await startServer();
    const { home, folder } = stores;
    const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    const source = kind === 'online' ? [] : ['--data', folder];
    const backup = (to: string, more: readonly string[] = [], time = '2026-11-22T23:15:00.999Z') =>
      home.iam(['store', 'backup', '--to', to, ...source, ...more], {
        ...{ url: server.url, variables },
        now: () => Date.parse(time),
      });
    const file = home.file('backups/daily/iam-20261122T231500Z.json');
    expect(await backup(home.file('backups/daily/'))).toMatchObject({ code: 0, out: `${file}\n` });
    const modes = await Promise.all([path.dirname(file), home.file('backups'), file].map((name) => stat(name)));
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
    await writeFile(file, 'precious');
    for (const to of [home.file('backups/daily/'), home.file('backups/daily'), file])
      expect(await backup(to)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--force') });
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(await backup(file, ['--force'])).toMatchObject({ code: 0, out: `${file}\n` });
    expect(await readFile(file, 'utf8')).not.toBe('precious');
    expect(await backup(home.file('backups/daily'), [], '2026-11-23T00:00:00Z')).toMatchObject({ code: 0 });
    expect(await readdir(path.dirname(file))).toEqual(['iam-20261122T231500Z.json', 'iam-20261123T000000Z.json']);
  });

  test('reject a path that cannot be written before any request', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    await writeFile(home.file('file'), 'precious');
    const rejected = [
      [home.file('file/'), 'is a file, not a folder'],
      [home.file('file/backup.json'), 'not a folder'],
      [home.file('missing/backup.json'), 'does not exist'],
    ] as const;
    for (const [to, message] of rejected)
      expect(
        await home.iam(['store', 'backup', '--to', to], { ...server, variables: { IAM_TOKEN: 'any' } }),
      ).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
    expect([server.received, await readdir(home.folder)]).toEqual([[], ['file']]);
    expect(await readFile(home.file('file'), 'utf8')).toBe('precious');
  });

  test('of files need no confirmation for an empty folder, and a name for an existing store', async () => {
    await using stores = await makeStores();
    const { home, folder } = stores;
    const file = home.file('backup.json');
    expect(await home.iam(['store', 'backup', '--to', file, '--data', folder])).toMatchObject({ code: 0 });
    const again = (more: string[]) => home.iam(['store', 'restore', file, '--data', folder, ...more]);
    expect(await again([])).toMatchObject({ code: 6, err: expect.stringContaining('--force') });
    expect(await again(['--force'])).toMatchObject({ code: 10, err: expect.stringContaining('--confirm store') });
    const unconfirmed = await again(['--force', '--yes']);
    expect(unconfirmed).toMatchObject({
      code: 10,
      err: expect.stringContaining(`Quarantine the store in ${folder} and restore the backup?`),
    });
    expect(await commitsIn(folder)).toBe(4);
    expect(await again(['--force', '--confirm', 'other'])).toMatchObject({ code: 2 });
    expect(await again(['--force', '--dry-run'])).toMatchObject({ code: 0, err: expect.stringContaining('Dry run') });
    expect((await readdir(folder)).filter((name) => name.startsWith('set-aside'))).toEqual([]);
    expect(await again(['--force', '--confirm', 'store'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('set-aside.1.iam.json'),
    });
    expect(await commitsIn(folder)).toBe(4);
  });

  test('restore what was shown and confirmed, also if the file is replaced meanwhile', async () => {
    await using stores = await makeStores();
    const { home, folder } = stores;
    const file = home.file('backup.json');
    await home.iam(['store', 'backup', '--to', file, '--data', folder]);
    const other = await openStore(home.file('other'));
    await new History().commits(other, 1);
    await other.close();
    await home.iam(['store', 'backup', '--to', home.file('other.json'), '--data', home.file('other')]);
    for (const swap of [rename, copyFile]) {
      const { prompter, questions } = createScriptedPrompter(async () => {
        await copyFile(file, home.file('kept.json'));
        await copyFile(home.file('other.json'), home.file('swapped.json'));
        await swap(home.file('swapped.json'), file);
        return 'store';
      });
      const words = ['store', 'restore', file, '--data', folder, '--force'];
      const { code, err } = await home.iam(words, { prompter, columns: 400 });
      expect([code, questions[0]?.message]).toEqual([0, expect.stringMatching(/^Quarantine the store in /)]);
      expect(err).toMatch(
        / {2}The store in .* contains:\n {4}commit +4\n(?: {4}.*\n)+ {2}The backup contains:\n {4}commit +4\n {4}written at /,
      );
      expect(err).toContain('Restored commit 4');
      expect(await commitsIn(folder)).toBe(4);
      await rename(home.file('kept.json'), file);
    }
  });

  test('reject a damaged file with its position, and a response that is not a backup', async () => {
    await using stores = await makeStores();
    const { home, folder } = stores;
    const file = home.file('backup.json');
    await home.iam(['store', 'backup', '--to', file, '--data', folder]);
    await damage(file);
    const rejected = await home.iam(['store', 'restore', file, '--data', home.file('new'), '-o', 'json']);
    expect(rejected.code).toBe(14);
    expect(JSON.parse(rejected.err).error).toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringMatching(/backup\.json: .* \(byte \d+\)/),
    });
    for (const path of ['absent.json', 'store'])
      expect(await home.iam(['store', 'restore', home.file(path), '--data', home.file('new')])).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /(?:absent\.json: file not found|store: it is a folder)\. Name the file of a backup\.\n$/,
        ),
      });
    await using server = await startFakeServer(() => ({ status: 200, text: '<html>' }));
    const odd = await home.iam(['store', 'backup', '--to', home.file('odd/')], {
      ...server,
      variables: { IAM_TOKEN: 'any' },
    });
    expect(odd).toMatchObject({ code: 70, err: expect.stringContaining('not one of this service') });
    expect(await home.iam(['store', 'backup'])).toMatchObject({ code: 2, err: expect.stringContaining('--to') });
    expect((await readdir(home.folder)).sort()).toEqual(['backup.json', 'store']);
  });
});

describe('verify and repair', () => {
  test('report an intact store and change nothing', async () => {
    await using stores = await makeStores();
    const { home, folder } = stores;
    const before = await readdir(folder);
    const verified = await home.iam(['store', 'verify', '--data', folder]);
    expect(verified).toMatchObject({ code: 0, err: '' });
    expect(verified.out).toMatch(/last commit +4\n/);
    expect(verified.out).toMatch(/iam\.json +\d+ bytes {2}5 rows, up to commit 4/);
    const usual = await home.iam(['store', 'verify', '-o', 'json'], { variables: { IAM_SERVE_DATA: folder } });
    expect(JSON.parse(usual.out)).toMatchObject({ sound: true, sequence: 4, files: expect.any(Array) });
    expect(await home.iam(['store', 'repair', '--data', folder])).toMatchObject({
      code: 0,
      err: expect.stringContaining('Nothing to repair'),
    });
    expect(await readdir(folder)).toEqual(before);
    expect((await home.iam(['store', 'verify', '--data', home.folder])).code).toBe(12);
  });

  test('report the damage, and keep the commits before it after confirmation of the loss', async () => {
    await using stores = await makeStores();
    const { home, folder } = stores;
    await damageJournal(folder);
    const verified = await home.iam(['store', 'verify', '--data', folder]);
    expect(verified).toMatchObject({ code: 14, err: expect.stringContaining('iam store restore') });
    expect(verified.out).toMatch(/journal\.000000000003\.jsonl .*DAMAGED at byte \d+/);
    const repair = (more: string[]) => home.iam(['store', 'repair', '--data', folder, ...more]);
    const before = await readdir(folder);
    expect(await repair([])).toMatchObject({ code: 14, err: expect.stringContaining('with --accept-loss') });
    expect(await repair(['--accept-loss'])).toMatchObject({ code: 10 });
    expect(await repair(['--accept-loss', '--yes'])).toMatchObject({ code: 10 });
    const tried = await repair(['--dry-run', '-o', 'json']);
    expect(JSON.parse(tried.out)).toMatchObject({ keeps: 2, lostCommits: 1, unreadableLines: 1 });
    expect(await readdir(folder)).toEqual(before);
    const done = await repair(['--accept-loss', '--confirm', 'store']);
    expect(done).toMatchObject({ code: 0, err: expect.stringMatching(/groups +2 written, 0 deleted/) });
    expect(await home.iam(['store', 'verify', '--data', folder])).toMatchObject({ code: 0 });
    expect(await commitsIn(folder)).toBe(2);
  });

  test('report a file of another store, which no repair mixes in', async () => {
    await using stores = await makeStores();
    await using others = await makeStores();
    const { home, folder } = stores;
    await writeFile(path.join(folder, 'iam.json'), await readFile(path.join(others.folder, 'iam.json')));
    const verified = await home.iam(['store', 'verify', '--data', folder]);
    expect(verified).toMatchObject({ code: 14, err: expect.stringContaining('belongs to the store') });
    expect(verified.out).toMatch(/iam\.json .*NOT OF THIS STORE: it belongs to the store/);
    const repair = ['store', 'repair', '--data', folder, '--accept-loss', '--confirm', 'store'];
    expect(await home.iam(repair)).toMatchObject({ code: 14, err: expect.stringContaining('belongs to the store') });
  });
});
