/** One process per store. */
import { cp, mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Disk } from '../../../../src/server/store/file/disk.ts';
import type { StoreEvent } from '../../../../src/server/store/file/events.ts';
import type { FileStore } from '../../../../src/server/store/file/file-store.ts';
import { layoutOf } from '../../../../src/server/store/file/layout.ts';
import { acquireReadLock } from '../../../../src/server/store/file/lock.ts';
import { nodeDisk } from '../../../../src/server/store/file/node-disk.ts';
import { openNodeProcesses } from '../../../../src/server/store/file/node-processes.ts';
import { StoreUnavailableError } from '../../../../src/server/store/store.ts';
import { FakeDisk } from '../fake-disk.ts';
import { FakeMachine } from '../fake-processes.ts';
import { group } from '../rows.ts';
import { type Folder, makeFolder, openStore } from '../temp-store.ts';
import { bundleChild, type Child, type Children } from './children.ts';

let children: Children;
let folder: Folder;
const started: Child[] = [];

beforeAll(async () => {
  children = await bundleChild();
});
afterAll(() => children.remove());
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.kill()));
  await folder.remove();
});

function start(): Child {
  const child = children.start(folder.directory, 'hold');
  started.push(child);
  return child;
}

describe('a second process', () => {
  test('is rejected at once with the pid of the first, also while that one is stopped', async () => {
    const first = start();
    await first.line('open');
    const openError = { kind: 'in-use', pid: first.pid, message: expect.stringContaining(`process ${first.pid}`) };
    await expect(openStore(folder.directory)).rejects.toMatchObject(openError);
    first.signal('SIGSTOP');
    const before = performance.now();
    await expect(openStore(folder.directory)).rejects.toMatchObject(openError);
    expect(performance.now() - before).toBeLessThan(10_000);
    first.signal('SIGCONT');
  });

  test('can start as soon as the first was killed', async () => {
    const first = start();
    await first.line('open');
    await first.kill();
    const before = performance.now();
    const store = await openStore(folder.directory);
    expect(performance.now() - before).toBeLessThan(10_000);
    await store.close();
  });

  test('is rejected within one process as well, and can start after the first has closed', async () => {
    const first = await openStore(folder.directory);
    await expect(openStore(folder.directory)).rejects.toMatchObject({ kind: 'in-use', pid: process.pid });
    await first.close();
    await (await openStore(folder.directory)).close();
  });

  test('in a race for an empty folder: one wins and the others are rejected', async () => {
    for (let round = 0; round < 4; round += 1) {
      const racers = [start(), start(), start()];
      const outputs = await Promise.all(racers.map((racer) => racer.line('', (line) => /^(open|rejected)/.test(line))));
      const winner = racers[outputs.findIndex((line) => line.startsWith('open'))];
      const rejected = `rejected in-use ${winner?.pid}`;
      expect([...outputs].sort()).toEqual(['open true', rejected, rejected]);
      await Promise.all(racers.map((racer) => racer.kill()));
      await folder.remove();
      folder = await makeFolder();
    }
  });
});

describe('without a kernel lock, the lock file', () => {
  const directory = '/store';

  test('of a running process locks out others, and no longer after it exits', async () => {
    const disk = new FakeDisk();
    const machine = new FakeMachine(false);
    const first = machine.start();
    await openStore(directory, { disk, processes: first });
    const second = openStore(directory, { disk, processes: machine.start() });
    await expect(second).rejects.toMatchObject({ kind: 'in-use', pid: first.self.pid });
    first.kill();
    await (await openStore(directory, { disk, processes: machine.start() })).close();
    expect(disk.contents(`${directory}/iam.lock`)).toHaveLength(0);
  });

  test('of a dead process is acquired by exactly one of several processes', async () => {
    const disk = new FakeDisk();
    const machine = new FakeMachine(false);
    const dead = machine.start();
    await openStore(directory, { disk, processes: dead });
    dead.kill();
    const racers = Array.from({ length: 4 }, () => openStore(directory, { disk, processes: machine.start() }));
    const outcomes = await Promise.allSettled(racers);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('that a crash left empty does not lock out others', async () => {
    const disk = new FakeDisk();
    const machine = new FakeMachine(false);
    await disk.makeFolder(directory);
    disk.plant(`${directory}/iam.lock`, Buffer.alloc(0));
    await (await openStore(directory, { disk, processes: machine.start() })).close();
  });

  test('of an earlier process with the same pid does not lock out others', async () => {
    const disk = new FakeDisk();
    const [before, after] = ['one', 'two'].map((startedAt) => {
      const self = { pid: 1, bootId: 'boot', startedAt };
      const isRunning = async (other: typeof self) => other.startedAt === startedAt;
      return { self, isRunning, kernelLock: undefined, allowsUnsafeLock: true };
    });
    if (before === undefined || after === undefined) throw new Error('unreachable');
    await openStore(directory, { disk, processes: before });
    await (await openStore(directory, { disk, processes: after })).close();
  });

  test('is required to be permitted, and nothing is written otherwise', async () => {
    const unloadable = () => Promise.reject(new Error('no build'));
    const refusing = await openNodeProcesses(process.pid, process.platform, { loadTryLock: unloadable });
    const refused = openStore(folder.directory, { processes: refusing });
    await expect(refused).rejects.toMatchObject({ kind: 'no-lock', message: expect.stringContaining('--unsafe-lock') });
    await expect(stat(folder.directory)).rejects.toThrow('ENOENT');
    const options = { loadTryLock: unloadable, allowsUnsafeLock: true };
    const processes = await openNodeProcesses(process.pid, process.platform, options);
    const store = await openStore(folder.directory, { processes });
    expect(store.startWarnings).toEqual([expect.stringContaining('has no kernel lock')]);
    const other = openStore(folder.directory);
    await expect(other).rejects.toMatchObject({ kind: 'in-use', pid: process.pid });
    await store.close();
  });

  test('is not used if the file system has no locks, unless permitted', async () => {
    const failing = async () => () => {
      throw Object.assign(new Error('no locks available'), { code: 'ENOLCK' });
    };
    const refusing = await openNodeProcesses(process.pid, process.platform, { loadTryLock: failing });
    await expect(openStore(folder.directory, { processes: refusing })).rejects.toMatchObject({ kind: 'no-lock' });
    const options = { loadTryLock: failing, allowsUnsafeLock: true };
    const processes = await openNodeProcesses(process.pid, process.platform, options);
    await (await openStore(folder.directory, { processes })).close();
  });
});

describe('the lock file', () => {
  const lockOf = (directory: string) => join(directory, 'iam.lock');

  test('stays in place, and is empty after a stop', async () => {
    const first = await openStore(folder.directory);
    const { ino } = await stat(lockOf(folder.directory));
    expect(JSON.parse(await readFile(lockOf(folder.directory), 'utf8'))).toMatchObject({ pid: process.pid });
    await first.close();
    expect(await stat(lockOf(folder.directory))).toMatchObject({ ino, size: 0 });
    await (await openStore(folder.directory)).close();
    expect((await stat(lockOf(folder.directory))).ino).toBe(ino);
  });

  test('of a running process without the kernel lock is respected, and ignored after its end', async () => {
    const first = start();
    await first.line('open');
    const { file: _, ...holder } = JSON.parse(await readFile(lockOf(folder.directory), 'utf8'));
    const other = join(folder.directory, 'other');
    await (await openStore(other)).close();
    await writeFile(lockOf(other), `${JSON.stringify({ ...holder, lock: 'unsafe' })}\n`);
    const message = expect.stringContaining('if this folder is a copy, remove that file');
    await expect(openStore(other)).rejects.toMatchObject({ kind: 'in-use', pid: holder.pid, message });
    await first.kill();
    await (await openStore(other)).close();
  });

  test('that came with a copy of an open store does not lock the copy', async () => {
    const first = start();
    await first.line('open');
    const copy = `${folder.directory} copy`;
    await cp(folder.directory, copy, { recursive: true });
    await (await openStore(copy)).close();
  });

  test('names the host of a holder in another container', async () => {
    const first = await openStore(folder.directory);
    const lock = JSON.parse(await readFile(lockOf(folder.directory), 'utf8'));
    const elsewhere = { ...lock, pid: 1, namespace: 'pid:[1]', host: 'container' };
    await writeFile(lockOf(folder.directory), JSON.stringify(elsewhere));
    const message = expect.stringContaining('process 1 of another container or machine (host container)');
    await expect(openStore(folder.directory)).rejects.toMatchObject({ kind: 'in-use', message });
    await first.close();
  });

  test('is shared by processes that read the store offline, and excludes others meanwhile', async () => {
    await (await openStore(folder.directory)).close();
    const processes = await openNodeProcesses(process.pid, process.platform);
    const layout = layoutOf(folder.directory);
    const readers = await Promise.all([1, 2].map(() => acquireReadLock(nodeDisk, layout, processes)));
    await expect(openStore(folder.directory)).rejects.toMatchObject({ kind: 'in-use' });
    await Promise.all(readers.map((release) => release()));
    const store = await openStore(folder.directory);
    await expect(acquireReadLock(nodeDisk, layout, processes)).rejects.toMatchObject({ kind: 'in-use' });
    await store.close();
  });
});

describe('a store whose file is replaced or removed while it is open', () => {
  const insert = (store: FileStore, name: string) => store.transaction(({ groups }) => groups.insert(group(name)));

  async function replaceByEditor(path: string): Promise<void> {
    await cp(path, `${path}~`);
    await rename(`${path}~`, path);
  }

  const changes: [string, string, (path: string) => Promise<void>][] = [
    ['a replaced lock file', 'iam.lock', replaceByEditor],
    ['a removed lock file', 'iam.lock', unlink],
    ['a replaced log', 'journal.jsonl', replaceByEditor],
    ['a removed log', 'journal.jsonl', unlink],
  ];

  test.each(changes)('%s: rejects writes, and loses none that was acknowledged', async (_, name, change) => {
    const events: StoreEvent[] = [];
    const store = await openStore(folder.directory, { log: (event) => void events.push(event) });
    await insert(store, 'a');
    await store.checkpoint();
    await insert(store, 'b');
    const path = join(folder.directory, name);
    await change(path);
    for (const name of ['c', 'd']) await expect(insert(store, name)).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({ writable: false, permanent: true, reason: expect.stringContaining(path) });
    expect(events).toContainEqual(expect.objectContaining({ event: 'dispossessed', file: path }));
    expect((await store.groups.list()).map(({ groupId }) => groupId)).toEqual(['a', 'b']);
    const checkpoint = await stat(join(folder.directory, 'iam.json'));
    await store.close();
    expect(await stat(join(folder.directory, 'iam.json'))).toMatchObject({ ino: checkpoint.ino });
    if (name === 'journal.jsonl' && change === unlink) return;
    const next = await openStore(folder.directory);
    const found = (await next.groups.list()).map(({ groupId }) => groupId);
    // A commit that was rejected may be present.
    expect(found.filter((id) => id === 'a' || id === 'b')).toEqual(['a', 'b']);
    await next.close();
  });

  test('does not write over the commits of another server', async () => {
    const store = await openStore(folder.directory);
    await insert(store, 'a');
    await unlink(join(folder.directory, 'iam.lock'));
    const other = await openStore(folder.directory);
    for (const name of ['b', 'c']) await insert(other, name);
    await expect(insert(store, 'd')).rejects.toThrow(StoreUnavailableError);
    await insert(other, 'e');
    const copy = `${folder.directory} copy`;
    await cp(folder.directory, copy, { recursive: true });
    await Promise.all([store.close(), other.close()]);
    for (const directory of [folder.directory, copy]) {
      const next = await openStore(directory);
      expect((await next.groups.list()).map(({ groupId }) => groupId)).toEqual(['a', 'b', 'c', 'e']);
      await next.close();
    }
  });

  test('does not write a checkpoint over the files of another server', async () => {
    const store = await openStore(folder.directory);
    await insert(store, 'a');
    await unlink(join(folder.directory, 'iam.lock'));
    const other = await openStore(folder.directory);
    await insert(other, 'b');
    await expect(store.checkpoint()).rejects.toThrow(StoreUnavailableError);
    await store.close();
    await insert(other, 'c');
    await other.close();
    const next = await openStore(folder.directory);
    expect((await next.groups.list()).map(({ groupId }) => groupId)).toEqual(['a', 'b', 'c']);
    await next.close();
  });

  test('continues if the file system changes the identifiers of open files', async () => {
    const renumbering = { offset: 0 };
    const store = await openStore(folder.directory, { disk: withIdentifiers(() => `${renumbering.offset}`) });
    renumbering.offset = 1;
    await insert(store, 'a');
    await store.close();
  });

  test('is not detected, with a warning, if the file system does not identify files reliably', async () => {
    let calls = 0;
    const disk = withIdentifiers(() => {
      calls += 1;
      return String(calls);
    });
    const store = await openStore(folder.directory, { disk });
    expect(store.startWarnings).toEqual([expect.stringContaining('does not identify files reliably')]);
    await insert(store, 'a');
    await store.close();
  });
});

/** The disk with other identifiers of files. */
function withIdentifiers(identify: () => string): Disk {
  return {
    ...nodeDisk,
    identify: async () => identify(),
    identifyNow: () => identify(),
    async open(path, mode) {
      return { ...(await nodeDisk.open(path, mode)), identify: async () => identify() };
    },
  };
}

describe('a folder', () => {
  test('with other files is rejected and left unchanged', async () => {
    await mkdir(folder.directory);
    await writeFile(join(folder.directory, 'letter.txt'), 'dear');
    await expect(openStore(folder.directory)).rejects.toMatchObject({ kind: 'not-ours', file: folder.directory });
    await expect(stat(join(folder.directory, 'iam.lock'))).rejects.toThrow('ENOENT');
  });

  test('and its files are accessible to their owner only, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      const store = await openStore(folder.directory);
      await store.transaction(({ groups }) => groups.insert(group('a')));
      await store.checkpoint();
      const names = ['iam-store.json', 'iam.lock', 'iam.json', 'iam.previous.json', 'journal.jsonl'];
      const modes = names.map(async (name) => (await stat(join(folder.directory, name))).mode & 0o777);
      expect(await Promise.all(modes)).toEqual(names.map(() => 0o600));
      expect((await stat(folder.directory)).mode & 0o777).toBe(0o700);
      await store.close();
    } finally {
      process.umask(umask);
    }
  });

  test('is created with its parents, and the store is fresh until the first write', async () => {
    const directory = join(folder.directory, 'deeper', 'down');
    const first = await openStore(directory);
    expect(first.fresh).toBe(true);
    await first.close();
    const second = await openStore(directory);
    expect(second.fresh).toBe(true);
    await second.transaction(({ groups }) => groups.insert(group('a')));
    await second.close();
    const third = await openStore(directory);
    expect(third.fresh).toBe(false);
    await third.close();
  });

  test('contains a checkpoint in JSON with one row per line, the format first and the checksum last', async () => {
    const store = await openStore(folder.directory);
    await store.transaction(({ groups }) => groups.insert(group('a')));
    await store.close();
    const text = await readFile(join(folder.directory, 'iam.json'), 'utf8');
    const members = Object.keys(JSON.parse(text));
    expect(members).toEqual(['formatVersion', 'sequence', 'epoch', 'writtenAt', 'chain', 'tables', 'crc32']);
    expect(text.split('\n')).toContain(JSON.stringify(group('a')));
  });
});
