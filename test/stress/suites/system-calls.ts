/** A server under strace: the order of syncs and answers, and what it does when the system refuses. */
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
  'no answer leaves before the fdatasync of its commit has returned, by strace',
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
  'answers seen after their sync',
);

/** @returns how many answers were seen. @throws where one told of a group that was not durable yet. */
export function assertSyncOrder(lines: readonly SystemCall[]): number {
  const under = new Map<string, string[]>();
  let written: string[] = [];
  const durable = new Set<string>();
  let answers = 0;
  for (const { thread, call, args: given, starts, ends, result } of lines) {
    if (starts && call === 'pwrite64' && given.includes('/journal.')) under.set(thread, findGroupIds(given));
    if (starts && call === 'fdatasync' && given.includes('/journal.')) {
      under.set(thread, written);
      written = [];
    }
    if (ends && call === 'pwrite64') written.push(...(under.get(thread) ?? []));
    if (ends && call === 'fdatasync' && result === 0) for (const id of under.get(thread) ?? []) durable.add(id);
    if (ends) under.delete(thread);
    if (!starts || !call.startsWith('write') || !given.includes('HTTP/1.1 201')) continue;
    answers += 1;
    const early = findGroupIds(given).find((id) => !durable.has(id));
    if (early !== undefined) throw new Error(`the answer that made group ${early} left before its commit was synced`);
  }
  if (answers === 0) throw new Error('strace saw no answer');
  return answers;
}

function findGroupIds(text: string): string[] {
  return [...text.matchAll(/\\"groupId\\":\\"([^"\\]+)/g)].map(([, id]) => id ?? '');
}

/** Enough for the first start, which syncs a few times. */
const SYNCS = 40;

export const failedSyncs = createStraceSuite(
  'failed-syncs',
  'EIO at the n-th fdatasync: no more writes, no second try, reads go on, and nothing answered is lost',
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
          throw new Error('/readyz is green though writes are refused for good');
      });
      return assertNoRetry(await readTrace(output));
    }),
  'syncs that failed, with none after it',
);

/** @returns how many syncs failed: one, or none where the server came to fewer of them. */
function assertNoRetry(lines: readonly SystemCall[]): number {
  const journal = lines.filter(({ args: given, starts }) => starts && given.includes('/journal.'));
  const failed = journal.findIndex(({ args: given }) => given.includes('EIO'));
  const failedLater = lines.some(
    ({ call, starts, ends, result }) => call === 'fdatasync' && !starts && ends && result < 0,
  );
  const after = failed < 0 ? 0 : journal.length - failed - 1;
  if (after > 0) throw new Error(`${after} syncs of the journal came after the one that failed`);
  return failed >= 0 || failedLater ? 1 : 0;
}

/** Of a rename it is the old name: strace does not look at the new one. */
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
  'refusals',
  'EACCES, EROFS, EMFILE, EIO and EDQUOT at opens, writes, renames and syncs: a clean error, and nothing answered is lost',
  (seed, { seededBug }) =>
    withTempFolder(async (store, parent) => {
      const [call, error, file] = injectedErrors[seed % injectedErrors.length] as (typeof injectedErrors)[number];
      const random = createSeededRandom(seed);
      const once = between(random, 1, 5);
      // Once, or from then on for good: what is refused once is often mended by the next try.
      const when = random() < 0.5 ? once : `${once}+`;
      const inject = `inject=${call}:error=${error}:when=${when}`;
      // strace counts for each thread: with one of them, it is the n-th of all.
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
  'refusals endured',
);

/** So long a load goes on at most: a machine that is busy comes to fewer operations. */
const LOAD_MS = 15_000;

/**
 * Loads a server whose system refuses something: it starts or says in one line why not, goes on running, answers reads,
 * shows exactly what it answered, and has all of it after a kill.
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
    // What is done in the background (a checkpoint) has its turn, and its failure, too.
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
  throw new Error(`the server did not start, and does not say why as it should: ${outcome} ${stderr}`);
}

/** The next start, on a system that refuses nothing. */
export async function assertAllPresent(store: string, load: LoadGenerator): Promise<void> {
  const again = ServerProcess.product(store);
  try {
    await again.ready();
    await load.resume(again.client());
    // Not killed: a checkpoint that is cut short leaves its temporary file, and that would be nobody's fault.
    await again.stop();
  } finally {
    if (again.running) await again.kill();
  }
}
