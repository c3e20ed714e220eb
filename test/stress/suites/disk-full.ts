/** A full disk, or a limit on the file size: writes are rejected as a whole, and accepted again when there is space. */
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
  about: 'ENOSPC on a small tmpfs at appends and checkpoints: writes return 503 until there is space, reads continue',
  async run(budget) {
    let rejected = 0;
    const reason = findMountProblem();
    if (reason !== undefined) {
      budget.log(`skipped: ${reason}`);
      return [];
    }
    const { findings, done } = await runRounds('full-disk', budget, (seed) =>
      withTmpfs(async (folder) => {
        const load = new LoadGenerator(WRITERS);
        await fillDisk(`${folder}/store`, `${folder}/filler`, load, seed, budget.seededBug);
        rejected += load.rejected;
      }),
    );
    budget.log(`${done} full disks, ${rejected} operations rejected`);
    return findings;
  },
};

function findMountProblem(): string | undefined {
  if (process.platform !== 'linux') return 'mounting a tmpfs needs Linux';
  if (process.getuid?.() !== 0) return 'mounting a tmpfs needs root';
  return undefined;
}

function withTmpfs(work: (folder: string) => Promise<void>): Promise<void> {
  return withTempFolder(async (_, parent) => {
    const folder = `${parent}/small`;
    mkdirSync(folder);
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
    if (status !== 0) throw new Error(`mounting the tmpfs failed: ${stderr}`);
    try {
      await work(folder);
    } finally {
      spawnSync('umount', [folder]);
    }
  });
}

/** Long enough for a busy machine to fill the remaining space. */
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
      await writeUntilRejected(server, load, frequent);
      await assertNoTemporary(store);
      rmSync(filler);
      await writeAgain(server, load);
    }
    await load.assertExact(client);
    // Writes acknowledged on a full disk must survive, although nothing is written after them.
    fillExcept(filler, between(random, 0, 6) * 4096);
    await writeUntilRejected(server, load, frequent);
  } finally {
    await server.kill();
  }
  rmSync(filler);
  await assertAllPresent(store, load);
}

async function writeUntilRejected(server: ServerProcess, load: LoadGenerator, frequent: boolean): Promise<void> {
  const client = server.client();
  const endsAt = performance.now() + TIMEOUT_MS;
  const isNotReady = async () => (await server.status('/readyz')) === 503;
  // After a rejection a small write may still fit, which makes the server ready again for a moment.
  do {
    const more = load.rejected + 10;
    await load.run(client, () => load.rejected >= more || performance.now() > endsAt);
  } while (!(await isNotReady()) && performance.now() < endsAt);
  await load.assertExact(client);
  // Frequent checkpoints may free space at any time.
  if (!frequent && !(await isNotReady())) throw new Error('/readyz is 200 on a full disk');
}

async function writeAgain(server: ServerProcess, load: LoadGenerator): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MS;
  const enough = load.acknowledged + 50;
  await load.run(server.client(), () => load.acknowledged >= enough || performance.now() > endsAt);
  if (load.acknowledged < enough) throw new Error('writes are still rejected although there is space again');
  if ((await server.status('/readyz')) !== 200) throw new Error('/readyz is not 200 although there is space');
}

/**
 * Verifies that a checkpoint that failed for lack of space removes its temporary file. Runs while the disk is full: the
 * next checkpoint reuses the name, and the next start removes the file. Waits for a checkpoint in progress.
 */
async function assertNoTemporary(store: string): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MS;
  const temporaryFiles = () => readdirSync(store).filter((name) => name.endsWith('.tmp'));
  // The next checkpoint may only be starting.
  await setTimeout(100);
  while (temporaryFiles().length > 0 && performance.now() < endsAt) await setTimeout(1);
  if (temporaryFiles().length > 0) throw new Error(`temporary files are left: ${temporaryFiles()}`);
}

/** Fills the disk with a file and then frees the given number of bytes. */
function fillExcept(file: string, bytes: number): void {
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4096);
  let size = 0;
  try {
    for (;;) size += writeSync(descriptor, block);
  } catch {
    // The disk is full.
  } finally {
    closeSync(descriptor);
  }
  truncateSync(file, Math.max(0, size - bytes));
}

export const shortWrites: Suite = {
  name: 'short-writes',
  about:
    'a limit on the file size, so that writes are short and then fail: an operation is stored completely or not at all',
  async run(budget) {
    if (process.platform === 'win32') {
      budget.log('skipped: Windows has no limit on the file size');
      return [];
    }
    let rejected = 0;
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
        rejected += load.rejected;
      }),
    );
    budget.log(`${done} servers, ${rejected} operations rejected`);
    return findings;
  },
};
