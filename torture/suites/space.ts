/** A server whose disk is full, or whose files may not grow: writes are refused whole, and taken again when there is room. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { between, seeded } from '../../test/server/store/random.ts';
import { withFolder } from '../folder.ts';
import { Load } from '../load.ts';
import { ServerProcess } from '../server-process.ts';
import { rounds, type Suite } from '../suite.ts';
import { endure, expectAllThere } from './system-calls.ts';

const WRITERS = 8;

export const fullDisk: Suite = {
  name: 'full-disk',
  about: 'ENOSPC on a small tmpfs, at appends and checkpoints: 503, reads go on, and writes again when there is space',
  async run(budget) {
    let refused = 0;
    const reason = whyNoMount();
    if (reason !== undefined) {
      budget.log(`skipped: ${reason}`);
      return [];
    }
    const { findings, done } = await rounds('full-disk', budget, (seed) =>
      onTmpfs(async (folder) => {
        const load = new Load(WRITERS);
        await fill(`${folder}/store`, `${folder}/filler`, load, seed, budget.plant);
        refused += load.refused;
      }),
    );
    budget.log(`${done} full disks, ${refused} operations refused`);
    return findings;
  },
};

function whyNoMount(): string | undefined {
  if (process.platform !== 'linux') return 'mounting a tmpfs is for Linux';
  if (process.getuid?.() !== 0) return 'only root may mount a tmpfs';
  return undefined;
}

function onTmpfs(work: (folder: string) => Promise<void>): Promise<void> {
  return withFolder(async (_, parent) => {
    const folder = `${parent}/small`;
    mkdirSync(folder);
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
    if (status !== 0) throw new Error(`the tmpfs can't be mounted: ${stderr}`);
    try {
      await work(folder);
    } finally {
      spawnSync('umount', [folder]);
    }
  });
}

/** Long enough for a busy machine to use up what room is left. */
const PATIENCE_MS = 10_000;

async function fill(store: string, filler: string, load: Load, seed: number, plant: string | undefined): Promise<void> {
  const random = seeded(seed);
  const frequent = random() < 0.5;
  const server = ServerProcess.either(store, plant, frequent);
  try {
    await server.ready();
    const client = server.client();
    for (let times = 0; times < 2; times += 1) {
      takeAllBut(filler, between(random, 0, 6) * 4096);
      await writeUntilRefused(server, load, frequent);
      await expectNoTemporary(store);
      rmSync(filler);
      await writeAgain(server, load);
    }
    await load.assertExact(client);
    // What was acknowledged on a full disk is there although nothing was written after it.
    takeAllBut(filler, between(random, 0, 6) * 4096);
    await writeUntilRefused(server, load, frequent);
  } finally {
    await server.kill();
  }
  rmSync(filler);
  await expectAllThere(store, load);
}

async function writeUntilRefused(server: ServerProcess, load: Load, frequent: boolean): Promise<void> {
  const client = server.client();
  const endsAt = performance.now() + PATIENCE_MS;
  const isRed = async () => (await server.status('/readyz')) === 503;
  // What is small may fit into the room that is left after something was refused, and turns it green for once.
  do {
    const more = load.refused + 10;
    await load.run(client, () => load.refused >= more || performance.now() > endsAt);
  } while (!(await isRed()) && performance.now() < endsAt);
  await load.assertExact(client);
  // A checkpoint, where they are frequent, may make room at any time.
  if (!frequent && !(await isRed())) throw new Error('/readyz is green on a full disk');
}

async function writeAgain(server: ServerProcess, load: Load): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS;
  const enough = load.answered + 50;
  await load.run(server.client(), () => load.answered >= enough || performance.now() > endsAt);
  if (load.answered < enough) throw new Error('there is space again, and writes are still refused');
  if ((await server.status('/readyz')) !== 200) throw new Error('/readyz is red though there is space');
}

/**
 * A checkpoint that found no space leaves nothing behind. To be asked while the disk is full: the next one takes the
 * name, and the next start removes it. One that is being written is gone sooner or later.
 */
async function expectNoTemporary(store: string): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS;
  const left = () => readdirSync(store).filter((name) => name.endsWith('.tmp'));
  // The checkpoint before may be the one that was written, and the next one only begins.
  await setTimeout(100);
  while (left().length > 0 && performance.now() < endsAt) await setTimeout(1);
  if (left().length > 0) throw new Error(`temporary files are left: ${left()}`);
}

/** Writes a file until the disk is full, and gives so many bytes back. */
function takeAllBut(file: string, bytes: number): void {
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4096);
  let size = 0;
  try {
    for (;;) size += writeSync(descriptor, block);
  } catch {
    // It is full.
  } finally {
    closeSync(descriptor);
  }
  truncateSync(file, Math.max(0, size - bytes));
}

export const shortWrites: Suite = {
  name: 'short-writes',
  about:
    'a limit on the size of files, so that writes take some of the bytes and then fail: all of an operation or nothing',
  async run(budget) {
    if (process.platform === 'win32') {
      budget.log('skipped: there is no such limit on Windows');
      return [];
    }
    let refused = 0;
    const { findings, done } = await rounds('short-writes', budget, (seed) =>
      withFolder(async (store) => {
        const random = seeded(seed);
        const prefix = ['bash', '-c', `ulimit -f ${between(random, 5, 20)}; exec "$@"`, 'sh'];
        const load = new Load(WRITERS);
        await endure(ServerProcess.either(store, budget.plant, random() < 0.5, { prefix }), load, store);
        refused += load.refused;
      }),
    );
    budget.log(`${done} servers, ${refused} operations refused`);
    return findings;
  },
};
