/** Folders of stores that another user of the machine made or can write. Real owners need root. */
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileTrust, type MachineUser } from '../../../../src/lib/file-trust.ts';
import { systemClock } from '../../../../src/server/lib/clock.ts';
import { systemRandom } from '../../../../src/server/lib/random.ts';
import { openFileStore } from '../../../../src/server/store/file/file-store.ts';
import { assertTrustedFolder } from '../../../../src/server/store/file/folder-trust.ts';
import { nodeDisk } from '../../../../src/server/store/file/node-disk.ts';
import { openNodeProcesses } from '../../../../src/server/store/file/node-processes.ts';
import { openOfflineStore } from '../../../../src/server/store/maintenance/open-offline-store.ts';
import { StoreOpenError } from '../../../../src/server/store/open-error.ts';
import { startServer } from '../../../../src/testing/index.ts';
import { Home } from '../../../cli/run-cli.ts';
import { catchOpenError } from '../maintenance/offline-harness.ts';

const self = process.getuid?.();
const stranger = 12345;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'iam-folder-trust-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));
const at = (name: string) => path.join(home, name);

describe.skipIf(self === undefined)('a folder that others can write', () => {
  test('is refused by the server, and nothing is written', async () => {
    await mkdir(at('store'));
    await chmod(at('store'), 0o777);
    // Root takes folders of root as volumes: make it that of another user of the test.
    if (self === 0) await chown(at('store'), stranger, stranger);
    const error = await catchOpenError(startServer({ store: { data: at('store') } }));
    expect(error).toMatchObject({ kind: 'not-trusted', message: expect.stringContaining('--trust-folder') });
    expect(await readdir(at('store'))).toEqual([]);
  });
});

test.skipIf(self === undefined)(
  'a folder below one that others can write is refused, as they can replace it',
  async () => {
    await mkdir(at('shared'));
    await chmod(at('shared'), 0o777);
    const start = () => startServer({ store: { data: at('shared/store') } });
    expect(await catchOpenError(start())).toMatchObject({
      kind: 'not-trusted',
      message: expect.stringContaining(`other users can write ${at('shared')}`),
    });
    expect(await readdir(at('shared'))).toEqual([]);
    await chmod(at('shared'), 0o1777);
    await (await start()).stop();
  },
);

test('a backup replaces no file through a link that others prepared for its temporary name', async () => {
  const server = await startServer({ store: { data: at('store') } });
  await server.stop();
  await writeFile(at('precious'), 'precious');
  await symlink(at('precious'), at('backup.json.tmp'));
  const offline = await openOfflineStore({});
  expect(await offline.backup(at('store'), { file: at('backup.json'), replace: false })).toBeDefined();
  expect(await readFile(at('precious'), 'utf8')).toBe('precious');
  expect(await readdir(home)).not.toContain('backup.json.tmp');
});

describe.skipIf(self !== 0)('a folder of another user (needs root, to change owners)', () => {
  /** A store that a stranger prepared: its administrator and keys are known to the stranger. */
  async function prepareStore(): Promise<void> {
    const server = await startServer({ store: { data: at('store') } });
    await server.stop();
    for (const name of ['', ...(await readdir(at('store')))]) await chown(at(`store/${name}`), stranger, stranger);
  }

  test('is opened neither by the library nor by a command for its files', async () => {
    await prepareStore();
    const before = await readFile(at('store/iam.json'), 'utf8');
    expect(await catchOpenError(startServer({ store: { data: at('store') } }))).toMatchObject({ kind: 'not-trusted' });
    const offline = await openOfflineStore({});
    const target = { file: at('backup.json'), replace: false };
    const database = { databaseUrl: 'postgres://127.0.0.1:1/none', schema: 'iam' };
    const other = await startServer({ store: { data: at('other') } });
    await other.stop();
    await offline.backup(at('other'), target);
    const attempts = {
      verify: () => offline.verify(at('store')),
      previewRepair: () => offline.previewRepair(at('store')),
      repair: () => offline.repair(at('store')),
      backup: () => offline.backup(at('store'), { ...target, file: at('stolen.json') }),
      holdsStore: () => offline.holdsStore(at('store')),
      restore: () => offline.restore(at('backup.json'), at('store'), true),
      copyToDatabase: () => offline.copyToDatabase(at('store'), database),
      copyToFolder: () => offline.copyToFolder(database, at('store')),
    };
    const withoutFolder = ['saveBackup', 'readBackup'];
    expect([...Object.keys(attempts), ...withoutFolder].sort()).toEqual(Object.keys(offline).sort());
    for (const attempt of Object.values(attempts))
      expect(await catchOpenError(attempt())).toMatchObject({ kind: 'not-trusted' });
    expect(await readFile(at('store/iam.json'), 'utf8')).toBe(before);
    expect(await readdir(home)).not.toContain('stolen.json');
  });

  test('is taken if it is listed, as by --trust-folder', async () => {
    await prepareStore();
    const trusting = await openOfflineStore({ IAM_TRUST_FOLDERS: home });
    expect(await trusting.verify(at('store'))).toMatchObject({ sound: true });
    await using user = await Home.make();
    const words = ['store', 'verify', '--data', at('store')];
    const refused = await user.iam(words);
    expect(refused).toMatchObject({ code: 12, err: expect.stringContaining(`--trust-folder ${at('store')}`) });
    expect(refused.err).toContain(`chown -R 0:0 ${at('store')}`);
    expect((await user.iam([...words, '--trust-folder', home])).code).toBe(0);
    expect((await user.iam(words, { variables: { IAM_TRUST_FOLDERS: at('store') } })).code).toBe(0);
  });

  test('is also one of root with a file of that user, which a folder that is writable for all permits', async () => {
    await mkdir(at('volume'));
    await chmod(at('volume'), 0o777);
    const ann: MachineUser = { uid: 1000, gid: 1000, groups: [1000] };
    const check = () => assertTrustedFolder(at('volume'), createFileTrust(ann, []));
    expect(check).not.toThrow();
    await writeFile(at('volume/iam-store.json'), '{}');
    await chown(at('volume/iam-store.json'), stranger, stranger);
    expect(check).toThrow(/iam-store\.json belongs to another user/);
    await chown(at('volume/iam-store.json'), 1000, 1000);
    expect(check).not.toThrow();
  });
});

test('a folder is examined again with the lock, as another user may have put it there meanwhile', async () => {
  let examined = 0;
  const assertTrusted = () => {
    examined += 1;
    if (examined === 2) throw new StoreOpenError('not-trusted', 'it belongs to another user');
  };
  const options = { directory: at('store'), disk: nodeDisk, clock: systemClock, random: systemRandom };
  const processes = await openNodeProcesses(process.pid, process.platform, { allowsUnsafeLock: false });
  const error = await catchOpenError(openFileStore({ ...options, processes, assertTrusted }));
  expect(error).toMatchObject({ kind: 'not-trusted' });
  expect((await readdir(at('store'))).filter((name) => name !== 'iam.lock')).toEqual([]);
});
