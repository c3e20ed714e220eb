/** A server whose disk is full, or whose files may not grow: writes are refused whole, and taken again when there is room. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { LoadGenerator } from '../load-generator.ts';
import { ServerProcess } from '../server-process.ts';
import { runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';
import { assertAllPresent, runUnderErrors } from './system-calls.ts';

const WRITERS = 8;

export const fullDisk: Suite = {
  name: 'full-disk',
  about: 'ENOSPC on a small tmpfs, at appends and checkpoints: 503, reads go on, and writes again when there is space',
  async run(budget) {
    let refused = 0;
    const reason = findMountProblem();
    if (reason !== undefined) {
      budget.log(`skipped: ${reason}`);
      return [];
    }
    const { findings, done } = await runRounds('full-disk', budget, (seed) =>
      withTmpfs(async (folder) => {
        const load = new LoadGenerator(WRITERS);
        await fillDisk(`${folder}/store`, `${folder}/filler`, load, seed, budget.seededBug);
        refused += load.rejected;
      }),
    );
    budget.log(`${done} full disks, ${refused} operations refused`);
    return findings;
  },
};

function findMountProblem(): string | undefined {
  if (process.platform !== 'linux') return 'mounting a tmpfs is for Linux';
  if (process.getuid?.() !== 0) return 'only root may mount a tmpfs';
  return undefined;
}

function withTmpfs(work: (folder: string) => Promise<void>): Promise<void> {
  return withTempFolder(async (_, parent) => {
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
const TIMEOUT_MS = 10_000;

async function fillDisk(
  store: string,
  filler: string,
  load: LoadGenerator,
  seed: number,
  seededBug: string | undefined,
): Promise<void> {
  const random = createSeededRandom(seed);
  const frequent = random() < 0.5;
  const server = ServerProcess.either(store, seededBug, frequent);
  try {
    await server.ready();
    const client = server.client();
    for (let times = 0; times < 2; times += 1) {
      fillExcept(filler, between(random, 0, 6) * 4096);
      await writeUntilRefused(server, load, frequent);
      await assertNoTemporary(store);
      rmSync(filler);
      await writeAgain(server, load);
    }
    await load.assertExact(client);
    // What was acknowledged on a full disk is there although nothing was written after it.
    fillExcept(filler, between(random, 0, 6) * 4096);
    await writeUntilRefused(server, load, frequent);
  } finally {
    await server.kill();
  }
  rmSync(filler);
  await assertAllPresent(store, load);
}

async function writeUntilRefused(server: ServerProcess, load: LoadGenerator, frequent: boolean): Promise<void> {
  const client = server.client();
  const endsAt = performance.now() + TIMEOUT_MS;
  const isRed = async () => (await server.status('/readyz')) === 503;
  // What is small may fit into the room that is left after something was refused, and turns it green for once.
  do {
    const more = load.rejected + 10;
    await load.run(client, () => load.rejected >= more || performance.now() > endsAt);
  } while (!(await isRed()) && performance.now() < endsAt);
  await load.assertExact(client);
  // A checkpoint, where they are frequent, may make room at any time.
  if (!frequent && !(await isRed())) throw new Error('/readyz is green on a full disk');
}

async function writeAgain(server: ServerProcess, load: LoadGenerator): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MS;
  const enough = load.acknowledged + 50;
  await load.run(server.client(), () => load.acknowledged >= enough || performance.now() > endsAt);
  if (load.acknowledged < enough) throw new Error('there is space again, and writes are still refused');
  if ((await server.status('/readyz')) !== 200) throw new Error('/readyz is red though there is space');
}

/**
 * A checkpoint that found no space leaves nothing behind. To be asked while the disk is full: the next one takes the
 * name, and the next start removes it. One that is being written is gone sooner or later.
 */
async function assertNoTemporary(store: string): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MS;
  const left = () => readdirSync(store).filter((name) => name.endsWith('.tmp'));
  // The checkpoint before may be the one that was written, and the next one only begins.
  await setTimeout(100);
  while (left().length > 0 && performance.now() < endsAt) await setTimeout(1);
  if (left().length > 0) throw new Error(`temporary files are left: ${left()}`);
}

/** Writes a file until the disk is full, and gives so many bytes back. */
function fillExcept(file: string, bytes: number): void {
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
    const { findings, done } = await runRounds('short-writes', budget, (seed) =>
      withTempFolder(async (store) => {
        const random = createSeededRandom(seed);
        const prefix = ['bash', '-c', `ulimit -f ${between(random, 5, 20)}; exec "$@"`, 'sh'];
        const load = new LoadGenerator(WRITERS);
        await runUnderErrors(
          ServerProcess.either(store, budget.seededBug, random() < 0.5, { commandPrefix: prefix }),
          load,
          store,
        );
        refused += load.rejected;
      }),
    );
    budget.log(`${done} servers, ${refused} operations refused`);
    return findings;
  },
};
