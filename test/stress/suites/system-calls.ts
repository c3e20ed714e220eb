/** A server under strace: the order of syncs and responses, and the handling of injected system errors. */
import { setTimeout } from 'node:timers/promises';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { LoadGenerator } from '../load-generator.ts';
import { ServerProcess } from '../server-process.ts';
import { buildStraceCommand, countInjectedErrors, findStraceProblem, readTrace, type SystemCall } from '../strace.ts';
import { type Budget, runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

const WRITERS = 8;

function createStraceSuite(
  name: string,
  about: string,
  round: (seed: number, budget: Budget) => Promise<number>,
  what: string,
): Suite {
  return {
    name,
    about,
    async run(budget) {
      const reason = findStraceProblem();
      if (reason !== undefined) {
        budget.log(`skipped: ${reason}`);
        return [];
      }
      let sum = 0;
      const { findings, done } = await runRounds(name, budget, async (seed) => {
        sum += await round(seed, budget);
      });
      budget.log(`${done} servers, ${sum} ${what}`);
      return findings;
    },
  };
}

export const ackOrder = createStraceSuite(
  'ack-order',
  'strace shows no response before the fdatasync of its commit has returned',
  (seed, { seededBug }) =>
    withTempFolder(async (store, parent) => {
      const output = `${parent}/trace`;
      const prefix = buildStraceCommand(output, ['-e', 'trace=pwrite64,write,writev,fdatasync']);
      const server = ServerProcess.either(store, seededBug, seed % 2 === 0, { commandPrefix: prefix });
      const load = new LoadGenerator(WRITERS);
      try {
        await server.ready();
        await load.run(server.client(), () => load.acknowledged >= 200);
      } finally {
        await server.kill();
      }
      return assertSyncOrder(await readTrace(output));
    }),
  'responses after their sync',
);

/** @returns the number of responses. @throws Error if a response contains a group that was not durable yet. */
export function assertSyncOrder(lines: readonly SystemCall[]): number {
  const pending = new Map<string, string[]>();
  let written: string[] = [];
  const durable = new Set<string>();
  let responses = 0;
  for (const { thread, call, args: text, starts, ends, result } of lines) {
    if (starts && call === 'pwrite64' && text.includes('/journal.')) pending.set(thread, findGroupIds(text));
    if (starts && call === 'fdatasync' && text.includes('/journal.')) {
      pending.set(thread, written);
      written = [];
    }
    if (ends && call === 'pwrite64') written.push(...(pending.get(thread) ?? []));
    if (ends && call === 'fdatasync' && result === 0) for (const id of pending.get(thread) ?? []) durable.add(id);
    if (ends) pending.delete(thread);
    if (!starts || !call.startsWith('write') || !text.includes('HTTP/1.1 201')) continue;
    responses += 1;
    const early = findGroupIds(text).find((id) => !durable.has(id));
    if (early !== undefined) throw new Error(`the response with group ${early} was sent before its commit was synced`);
  }
  if (responses === 0) throw new Error('strace recorded no response');
  return responses;
}

function findGroupIds(text: string): string[] {
  return [...text.matchAll(/\\"groupId\\":\\"([^"\\]+)/g)].map(([, id]) => id ?? '');
}

/** Enough for the first start, which syncs a few times. */
const SYNCS = 40;

export const failedSyncs = createStraceSuite(
  'failed-syncs',
  'EIO at the n-th fdatasync: writes stop, the sync is not retried, reads continue, no acknowledged operation is lost',
  (seed, { seededBug }) =>
    withTempFolder(async (store, parent) => {
      const when = between(createSeededRandom(seed), 1, SYNCS);
      const output = `${parent}/trace`;
      const options = ['-e', 'trace=fdatasync', '-e', `inject=fdatasync:error=EIO:when=${when}`];
      const server = ServerProcess.either(store, seededBug, seed % 2 === 0, {
        commandPrefix: buildStraceCommand(output, options),
      });
      const load = new LoadGenerator(WRITERS);
      await runUnderErrors(server, load, store, async () => {
        if (load.rejected > 0 && (await server.status('/readyz')) !== 503)
          throw new Error('/readyz is not 503 although writes are rejected permanently');
      });
      return assertNoRetry(await readTrace(output));
    }),
  'failed syncs without a retry',
);

/** @returns the number of failed syncs: 1, or 0 if the server made fewer syncs. @throws Error on a later sync. */
function assertNoRetry(lines: readonly SystemCall[]): number {
  const walSyncs = lines.filter(({ args: text, starts }) => starts && text.includes('/journal.'));
  const failed = walSyncs.findIndex(({ args: text }) => text.includes('EIO'));
  const failedLater = lines.some(
    ({ call, starts, ends, result }) => call === 'fdatasync' && !starts && ends && result < 0,
  );
  const after = failed < 0 ? 0 : walSyncs.length - failed - 1;
  if (after > 0) throw new Error(`${after} syncs of the write-ahead log came after the one that failed`);
  return failed >= 0 || failedLater ? 1 : 0;
}

/** The file is the old name for a rename, as strace filters by the first path. */
const injectedErrors: readonly (readonly [call: string, error: string, file: string])[] = [
  ['openat', 'EACCES', 'iam.json.tmp'],
  ['openat', 'EROFS', 'iam.json.tmp'],
  ['openat', 'EMFILE', 'journal.next.jsonl'],
  ['openat', 'EMFILE', 'journal.jsonl'],
  ['openat', 'EACCES', 'iam.lock'],
  ['pwrite64', 'EIO', 'journal.jsonl'],
  ['pwrite64', 'EDQUOT', 'journal.jsonl'],
  ['rename', 'EIO', 'journal.jsonl'],
  ['rename', 'EROFS', 'iam.json'],
  ['rename', 'EACCES', 'iam.json.tmp'],
  ['rename', 'EIO', 'journal.next.jsonl'],
  ['fsync', 'EIO', 'iam.json.tmp'],
  ['fsync', 'EIO', 'journal.next.jsonl'],
  ['fsync', 'EIO', ''],
];

export const systemCallErrors = createStraceSuite(
  'system-errors',
  'EACCES, EROFS, EMFILE, EIO and EDQUOT at opens, writes, renames and syncs: clear errors, no acknowledged loss',
  (seed, { seededBug }) =>
    withTempFolder(async (store, parent) => {
      const [call, error, file] = injectedErrors[seed % injectedErrors.length] as (typeof injectedErrors)[number];
      const random = createSeededRandom(seed);
      const once = between(random, 1, 5);
      // Once, or from then on: a retry often repairs a single error.
      const when = random() < 0.5 ? once : `${once}+`;
      const inject = `inject=${call}:error=${error}:when=${when}`;
      // strace counts calls per thread; with a single thread it counts all of them.
      const oneThread = ['-E', 'UV_THREADPOOL_SIZE=1'];
      const named = ['-P', file === '' ? store : `${store}/${file}`];
      const options = [...oneThread, ...named, '-e', `trace=${call}`, '-e', inject];
      const output = `${parent}/trace`;
      const prefix = buildStraceCommand(output, options);
      await runUnderErrors(
        ServerProcess.instrumented({ data: store, seededBug }, { commandPrefix: prefix }),
        new LoadGenerator(WRITERS),
        store,
      );
      return countInjectedErrors(output);
    }).catch((error: Error) => {
      throw new Error(`${injectedErrors[seed % injectedErrors.length]}: ${error.message}`);
    }),
  'injected errors',
);

/** Maximum duration of the load; a busy machine completes fewer operations. */
const LOAD_MS = 15_000;

/**
 * Puts load on a server with injected system errors. It starts or exits with a one-line error, keeps running, serves
 * reads with exactly the acknowledged operations, and has all of them after a kill.
 */
export async function runUnderErrors(
  server: ServerProcess,
  load: LoadGenerator,
  store: string,
  whileRunning: () => Promise<void> = async () => {},
): Promise<void> {
  try {
    await server.ready();
  } catch {
    await assertCleanFailure(server);
    return assertAllPresent(store, load);
  }
  try {
    const endsAt = performance.now() + LOAD_MS;
    await load.run(server.client(), () => load.acknowledged > 400 || load.rejected > 40 || performance.now() > endsAt);
    // Lets background work (a checkpoint) run and fail, too.
    await setTimeout(50);
    if (!server.running) throw new Error(`the server ended with ${server.outcome}: ${server.stderr}`);
    await load.assertExact(server.client());
    if ((await server.status('/healthz')) !== 200) throw new Error('/healthz is not 200');
    await whileRunning();
  } finally {
    await server.kill();
  }
  await assertAllPresent(store, load);
}

async function assertCleanFailure(server: ServerProcess): Promise<void> {
  await server.ended();
  const { outcome, stderr } = server;
  const lines = stderr.trimEnd().split('\n');
  if (outcome !== 0 && typeof outcome === 'number' && /^error: /.test(lines.at(-1) ?? '') && !/^ {4}at /m.test(stderr))
    return;
  throw new Error(`the server did not start and printed no clear error: ${outcome} ${stderr}`);
}

/** Starts the product without injected errors and verifies the acknowledged operations. */
export async function assertAllPresent(store: string, load: LoadGenerator): Promise<void> {
  const again = ServerProcess.product(store);
  try {
    await again.ready();
    await load.resume(again.client());
    // Stopped rather than killed: a killed checkpoint would leave its temporary file.
    await again.stop();
  } finally {
    if (again.running) await again.kill();
  }
}
