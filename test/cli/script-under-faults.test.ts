/**
 * A script of 50 commands while requests and answers are lost, the server is slow, busy or restarts: after each command the
 * server is as its exit code says. 0: its change was made, once. 75, or another code but 76: nothing was changed.
 */
import { spawn } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../../src/server/fault-injection/fault-rules.ts';
import { isFullRun } from '../effort.ts';
import { adminClient, startServer, type TestServer } from '../harness.ts';
import { type CliResult, iam } from './run-cli.ts';

/** A connection to the server that can be refused, as while it restarts. */
class Front implements AsyncDisposable {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #ownPort = 0;

  constructor(port: number) {
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#ownPort}`;
  }

  async open(): Promise<void> {
    if (this.#server) return;
    const server = createServer((socket) => {
      const target = connect(this.#port, '127.0.0.1');
      for (const one of [socket, target]) {
        this.#sockets.add(one);
        one
          .on('error', () => undefined)
          .on('close', () => {
            this.#sockets.delete(one);
            socket.destroy();
            target.destroy();
          });
      }
      socket.pipe(target).pipe(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#ownPort, '127.0.0.1', resolve));
    this.#ownPort = (server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** A command, and whether the rows of the server are those after it. */
interface Step {
  readonly words: readonly string[];
  isDone(rows: Rows, before: Rows): boolean;
}

const count = (rows: Rows, table: string) => rows[table]?.length ?? 0;

const grows = (table: string, by: number, ...words: string[]): Step => ({
  words,
  isDone: (rows, before) => count(rows, table) === count(before, table) + by,
});

const sets = (name: string, fits: (row: Readonly<Record<string, unknown>>) => boolean, ...words: string[]): Step => ({
  words,
  isDone: (rows) => rows.groups?.some((row) => row.groupName === name && fits(row)) === true,
});

/** There is one row with the fields, and it was created at most once. */
const one = (table: string, fields: Readonly<Record<string, string>>, ...words: string[]): Step => ({
  words,
  isDone: (rows, before) =>
    (rows[table] ?? []).filter((row) => Object.entries(fields).every(([name, value]) => row[name] === value)).length ===
      1 && count(rows, table) <= count(before, table) + 1,
});

/** Ten commands for each of five names. */
const script: readonly Step[] = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => {
  const [group, user, email] = [`group-${name}`, `user-${name}`, `${name}@example.com`];
  const createKey = ['api-key', 'create', '--app-id', `app-${name}`, '--client-id', adminClient.clientId];
  const hasRole = (row: Readonly<Record<string, unknown>>) => (row.roles as string[]).includes('DEPLOY');
  return [
    grows('groups', 1, 'groups', 'create', '--group-name', group, '--role', 'VIEW'),
    one('groups', { groupName: group }, 'groups', 'create', '--group-name', group, '--role', 'VIEW', '--if-not-exists'),
    sets(group, hasRole, 'groups', 'add-role', group, 'DEPLOY'),
    grows('users', 1, 'users', 'create', '--user-id', user, '--user-email', email, '--user-name', email),
    grows('memberships', 1, 'groups', 'users', 'add', group, `id:${user}`),
    grows('apiKeys', 1, ...createKey),
    one('apiKeys', { appId: `app-${name}` }, ...createKey, '--if-not-exists'),
    sets(group, (row) => row.organizationId === 'org', 'groups', 'update', group, '--set', 'organizationId=org'),
    grows('memberships', -1, 'groups', 'users', 'remove', group, `id:${user}`),
    grows('groups', -1, 'groups', 'delete', group, '--yes'),
  ];
});

const faults = ['none', 'none', 'drop before', 'drop after', 'latency', 'busy', 'down', 'restart'] as const;
type Fault = (typeof faults)[number];

const comparedTables = ['groups', 'users', 'memberships', 'apiKeys', 'clients'];

/** Runs a command line; `whileWaiting` is called while it waits for the server. */
type Program = (
  words: readonly string[],
  variables: Record<string, string>,
  whileWaiting: () => Promise<void>,
) => Promise<CliResult>;

class Scene implements AsyncDisposable {
  readonly #server: TestServer;
  readonly #front: Front;
  readonly #program: Program;
  readonly #variables: Record<string, string>;

  private constructor(server: TestServer, front: Front, program: Program, token: string) {
    this.#server = server;
    this.#front = front;
    this.#program = program;
    this.#variables = { IAM_BASE_URL: front.url, IAM_TOKEN: token };
  }

  static async start(program: Program): Promise<Scene> {
    const server = await startServer({ recordsStatuses: false });
    const front = new Front(Number(new URL(server.url).port));
    await front.open();
    const { accessToken } = await server.as({ basic: adminClient }).clientIdentities.login();
    return new Scene(server, front, program, accessToken);
  }

  async #rows(): Promise<Rows> {
    const all = (await this.#server.dump()) as Rows;
    return Object.fromEntries(comparedTables.map((table) => [table, all[table] ?? []]));
  }

  /** Runs a step with a fault. @returns why the server is not as the exit code says; undefined if it is */
  async run({ words, isDone }: Step, fault: Fault): Promise<string | undefined> {
    const before = await this.#rows();
    const outcome = await this.#runWithFault(words, fault);
    const after = await this.#rows();
    const isUnchanged = JSON.stringify(after) === JSON.stringify(before);
    const problem = `${fault}: iam ${words.join(' ')} ended with ${outcome.code}\n${outcome.err}`;
    if (outcome.code === 0) return isDone(after, before) ? undefined : `${problem} and was not done`;
    if (outcome.code === 76)
      return isUnchanged || isDone(after, before) ? undefined : `${problem} and did something else`;
    return isUnchanged ? undefined : `${problem} and changed something`;
  }

  async #runWithFault(words: readonly string[], fault: Fault): Promise<CliResult> {
    const run = (...more: string[]) => this.#program([...words, ...more], this.#variables, () => this.#front.open());
    if (fault === 'none') return run();
    if (fault === 'down' || fault === 'restart') {
      await this.#front.close();
      const outcome = await (fault === 'down' ? run() : run('--max-wait', '20'));
      await this.#front.open();
      return outcome;
    }
    const { faults: injected, requestLog } = this.#server.appContext.observability as never as Observed;
    const effects = {
      'drop before': { drop: 'before' },
      'drop after': { drop: 'after' },
      latency: { latency: 500 },
    };
    const effect = fault === 'busy' ? { status: 503 } : effects[fault];
    const { id } = injected.add({ times: 1, effect });
    const outcome = await run(...(fault === 'latency' ? ['--timeout', '0.2'] : []));
    const isApplied = injected.list().some((rule) => rule.id === id && rule.applied > 0);
    // The server goes on after a client has given up.
    while (
      fault === 'latency' &&
      isApplied &&
      ![...requestLog.newestFirst()].some((one) => one.fault?.startsWith(`${id} `))
    )
      await new Promise(setImmediate);
    injected.remove(id);
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#front[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}

interface Observed {
  readonly faults: {
    add(rule: object): { readonly id: string };
    list(): readonly { readonly id: string; readonly applied: number }[];
    remove(id: string): boolean;
  };
  readonly requestLog: { newestFirst(): Iterable<{ readonly fault?: string }> };
}

/** In this process; a wait only advances the clock. */
const inProcess: Program = async (words, variables, whileWaiting) => {
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  let waits = 0;
  const pause = async (milliseconds: number) => {
    now += milliseconds;
    waits += 1;
    if (waits === 3) await whileWaiting();
  };
  return iam(words, { variables, now: () => now, pause });
};

const asProcess: Program = async (words, variables, whileWaiting) => {
  const child = spawn(process.execPath, ['bin/iam.js', ...words], {
    env: { PATH: '', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (texts.out += chunk));
  child.stderr.on('data', (chunk) => (texts.err += chunk));
  const timer = setTimeout(() => void whileWaiting(), 1_500);
  const code = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? -1)));
  clearTimeout(timer);
  return { code, ...texts };
};

async function runScript(program: Program, seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  await using scene = await Scene.start(program);
  for (const step of script) {
    const fault = faults[Math.floor(random() * faults.length)] ?? 'none';
    expect(await scene.run(step, fault), `seed ${seed}`).toBeUndefined();
  }
}

const seedsFrom = (first: number, length: number) => Array.from({ length }, (_, at) => first + at);

describe('a script of 50 commands under faults leaves what its exit codes say', () => {
  test.each(seedsFrom(1, isFullRun ? 1_000 : 4))('in this process, seed %i', (seed) => runScript(inProcess, seed));

  // Needs `npm run build`.
  test.runIf(isFullRun).each(seedsFrom(1, 20))('as processes, seed %i', (seed) => runScript(asProcess, seed), 300_000);
});
