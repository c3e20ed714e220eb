/** One process per store. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
    expect(performance.now() - before).toBeLessThan(1000);
    first.signal('SIGCONT');
  });

  test('can start as soon as the first was killed', async () => {
    const first = start();
    await first.line('open');
    await first.kill();
    const before = performance.now();
    const store = await openStore(folder.directory);
    expect(performance.now() - before).toBeLessThan(1000);
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

describe('without sockets, the lock file', () => {
  const directory = '/store';

  test('of a running process locks out others, and is replaced after it exits', async () => {
    const disk = new FakeDisk();
    const machine = new FakeMachine(false);
    const first = machine.start();
    await openStore(directory, { disk, processes: first });
    const second = openStore(directory, { disk, processes: machine.start() });
    await expect(second).rejects.toMatchObject({ kind: 'in-use', pid: first.self.pid });
    first.kill();
    await (await openStore(directory, { disk, processes: machine.start() })).close();
    expect(await disk.list(directory)).not.toContain('iam.lock');
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

  test('of an earlier process with the same pid is replaced', async () => {
    const disk = new FakeDisk();
    const [before, after] = ['one', 'two'].map((startedAt) => {
      const self = { pid: 1, bootId: 'boot', startedAt };
      return { self, isRunning: async (other: typeof self) => other.startedAt === startedAt, acquire: unsupported };
    });
    if (before === undefined || after === undefined) throw new Error('unreachable');
    await openStore(directory, { disk, processes: before });
    await (await openStore(directory, { disk, processes: after })).close();
  });
});

async function unsupported() {
  return 'unsupported' as const;
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
    expect(members).toEqual(['formatVersion', 'sequence', 'epoch', 'writtenAt', 'tables', 'crc32']);
    expect(text.split('\n')).toContain(JSON.stringify(group('a')));
  });
});
