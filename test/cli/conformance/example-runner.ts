/** Runs the examples of commands on one server, which is reset before each. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { adminClient, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { type CliResult, Home, iam, type RunOptions } from '../run-cli.ts';
import { type ExampleSetup, exampleSetups } from './example-setups.ts';
import { deployerSecret, password, seed } from './seed.ts';

/** An entry of `iam commands --json`. */
export interface CatalogueEntry {
  readonly command: string;
  readonly operation?: string;
  readonly title: string;
  readonly effect: 'local' | 'read' | 'write' | 'destructive';
  readonly effectVaries?: boolean;
  readonly idempotent: boolean;
  readonly roles: string;
  readonly examples: readonly string[];
  readonly method?: string;
}

/** A request that reached the server. */
export interface LoggedRequest {
  readonly method: string;
  readonly operation?: string;
  readonly status: number;
  readonly requestId: string;
}

/** An example that is ready to run: its words and setup. */
export interface PreparedExample {
  readonly words: readonly string[];
  /** The expected exit code. */
  readonly code: number;
  /** @param program the command; by default, the sources */
  run(
    more?: readonly string[],
    variables?: Readonly<Record<string, string>>,
    program?: RunOptions['program'],
    terminal?: Pick<RunOptions, 'columns'>,
  ): Promise<CliResult>;
}

type Tokens = Readonly<Record<'administrator' | 'alice' | 'bob', string>>;

const snapshot = 'conformance';
const snapshotNames = ['before', 'after'];

/** Commands that need a separate process or store files, and the tests that cover them. */
export const testedElsewhere: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['groups', 'corporate-groups', 'users', 'users factors', 'factors', 'api-key', 'clients'].map((noun) => [
      `${noun} edit`,
      'test/cli/conformance/updates.test.ts',
    ]),
  ),
  serve: 'test/e2e/cli-server.test.ts',
  'server start': 'test/e2e/cli-background.test.ts',
  'server stop': 'test/e2e/cli-background.test.ts',
  'server status': 'test/e2e/cli-background.test.ts',
  'server logs': 'test/e2e/cli-background.test.ts',
  'store verify': 'test/cli/commands/store/store.test.ts',
  'store repair': 'test/cli/commands/store/store.test.ts',
  'store backup': 'test/cli/commands/store/store.test.ts',
  'store restore': 'test/cli/commands/store/store.test.ts',
  'store copy': 'test/postgres/copy.test.ts',
  'store init': 'test/postgres/setup.test.ts',
  'store migrate': 'test/postgres/setup.test.ts',
};

/** Every command once; two operations can share one. */
export async function readCatalogue(): Promise<CatalogueEntry[]> {
  const entries = JSON.parse((await iam(['commands', '--json'])).out) as CatalogueEntry[];
  return entries.filter(({ command }, at) => entries.findIndex((other) => other.command === command) === at);
}

export class ExampleRunner implements AsyncDisposable {
  readonly #homes: Home[] = [];
  /** Placeholders for ids that the server assigns. */
  readonly names: Readonly<Record<string, string>>;
  readonly server: TestServer;
  readonly #tokens: Tokens;
  /** The position of the log after the last reset. */
  #resetAt = 0;

  constructor(server: TestServer, tokens: Tokens, names: Readonly<Record<string, string>>) {
    this.server = server;
    this.names = names;
    this.#tokens = tokens;
  }

  static async create(): Promise<ExampleRunner> {
    const environment = { IAM_APP_CLIENT_ID: 'APP_CLIENT_ID' };
    // Must agree with the system clock, which `iam doctor` uses.
    const clock = createFakeClock(new Date().toISOString());
    const server = await startServer({ seed, environment, clock });
    const tokens = {
      administrator: (await server.as({ basic: adminClient }).clientIdentities.login()).accessToken,
      alice: await passSecondFactor(server, await loginUser(server, 'alice')),
      bob: await loginUser(server, 'bob'),
    };
    const body = { userName: 'alice' };
    for (const _ of ['an earlier message', 'the last'])
      await server.as().userIdentities.retrieve({ query: application, body });
    const [message, earlier] = await readField(server, '/_iam/inbox', 'id');
    const [session] = await readField(server, '/_iam/sessions', 'sessionId');
    const names = {
      ...{ MESSAGE_ID: message ?? '', ID: earlier ?? '', SESSION_ID: session ?? '' },
      ...{ TOKEN_ID: tokens.bob, 'https://iam.example.com': server.url },
    };
    const runner = new ExampleRunner(server, tokens, names);
    await runner.#control('POST', 'state/snapshots', { name: snapshot });
    return runner;
  }

  /** Resets everything that requests since the last reset may have changed, including what a dump does not contain. */
  async reset(): Promise<void> {
    const { clock } = this.server;
    clock.advance((Date.now() - clock.now().getTime()) / 1000);
    const requests = await this.requestsSince(this.#resetAt);
    if (requests.every(({ method }) => method === 'GET')) return;
    await this.#control('PUT', 'clock', { reset: true });
    await this.#control('DELETE', 'faults');
    await this.#control('DELETE', 'sandboxes/test-1');
    for (const name of snapshotNames) await this.#control('DELETE', `state/snapshots/${name}`);
    await this.#control('POST', `state/snapshots/${snapshot}/restore`);
    this.#resetAt = await this.markLog();
  }

  /** Returns the id of the request. */
  async #control(method: string, target: string, json?: unknown): Promise<string> {
    const path = `/_iam/${target}`;
    const body = json === undefined ? undefined : JSON.stringify(json);
    const type = body === undefined ? [] : [['content-type', 'application/json'] as const];
    const { status, headers } = await this.server.send({ method, path, headers: type, body });
    if (status >= 300 && status !== 404) throw new Error(`${method} ${path} returned ${status}`);
    return String(headers['x-request-id']);
  }

  /** The position of the log after all requests: a line is written after its response. */
  async markLog(): Promise<number> {
    const last = await this.#control('GET', 'clock');
    while (!this.server.log.at(-1)?.includes(last)) await new Promise(setImmediate);
    return this.server.log.length;
  }

  /** The requests since a position. */
  async requestsSince(mark: number): Promise<LoggedRequest[]> {
    const end = (await this.markLog()) - 1;
    const lines = this.server.log
      .slice(mark, end)
      .map((line) => JSON.parse(line) as LoggedRequest & { readonly msg: string });
    return lines.filter(({ msg }) => msg === 'request');
  }

  /** Prepares what an example needs; `url` is a server other than that of the runner. */
  async prepare(example: string, url = this.server.url): Promise<PreparedExample> {
    const home = await Home.make();
    this.#homes.push(home);
    const setup: ExampleSetup = exampleSetups[example] ?? {};
    for (const name of setup.profiles ?? []) await saveProfile(name, { baseUrl: url, ...adminClient }, home.variables);
    for (const [name, text] of Object.entries(setup.files ?? {})) {
      await mkdir(path.dirname(home.file(name)), { recursive: true });
      await writeFile(home.file(name), text);
    }
    const runOptions = (more: RunOptions = {}, as = setup.as): RunOptions => ({
      url,
      variables: { XDG_STATE_HOME: home.file('state'), EDITOR: 'true', ...this.#variables(as) },
      now: () => this.server.clock.now().getTime(),
      ...more,
    });
    for (const line of setup.before ?? [])
      await home.iam(this.#words(home, line), { ...runOptions({}), url: this.server.url });
    const more = await setup.prepare?.({
      iam: (line, as) => home.iam(this.#words(home, line), { ...runOptions({}, as), url: this.server.url }),
    });
    const names = { ...setup.names, ...more?.names };
    const stdin = more?.stdin ?? setup.stdin;
    const words = this.#words(home, example, names).slice(1);
    return {
      words,
      code: setup.code ?? 0,
      run: (added = [], variables = {}, program = undefined, terminal = {}) => {
        const own = runOptions({
          ...(stdin === undefined ? {} : { stdin }),
          ...(setup.terminal ? { columns: 80 } : {}),
        });
        const all = { ...own.variables, ...variables };
        return home.iam(withOptions(words, [...(setup.options ?? []), ...added]), {
          ...own,
          ...terminal,
          variables: all,
          ...(program && { program }),
        });
      },
    };
  }

  /** Runs a command line without a setup. */
  async run(line: string, as: ExampleSetup['as'], options: RunOptions = {}): Promise<CliResult> {
    const words = line.split(' ').map((word) => this.names[word] ?? word);
    const variables = { ...this.#variables(as), ...options.variables };
    return iam(words, { ...options, url: this.server.url, variables });
  }

  #variables(as: ExampleSetup['as'] = 'administrator'): Record<string, string> {
    if (as === 'anonymous') return {};
    if (as === 'client') return { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    if (as === 'password') return { IAM_PASSWORD: password };
    if (as === 'deployer') return { IAM_CLIENT_SECRET: deployerSecret };
    return { IAM_TOKEN: this.#tokens[as] };
  }

  /** Splits a command line like a shell, without expansion; files are in the folder of the example. */
  #words(home: Home, line: string, names: Readonly<Record<string, string>> = {}): string[] {
    const [commandLine = ''] = line.split(/ [<>|] /);
    const all = { ...this.names, ...names };
    const words = [...commandLine.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    return words.map((word) => all[word] ?? (isFile(word) ? home.file(word) : word));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const home of this.#homes) await home[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

const application = { clientId: 'APP_CLIENT_ID' };

async function loginUser(server: TestServer, userName: string): Promise<string> {
  const client = server.as({ basic: { clientId: userName, clientSecret: password } });
  const { accessToken } = await client.userIdentities.login({ query: { ...application, 'remember-me': true } });
  return accessToken;
}

/** The token of a user after the second factor. */
async function passSecondFactor(server: TestServer, token: string): Promise<string> {
  const { userIdentities } = server.as({ token });
  const { challengeId } = await userIdentities.leverageMfa({ body: {} });
  const [code = ''] = await readField(server, '/_iam/inbox', 'code');
  const { accessToken } = await userIdentities.fulfillMfa({ body: { challengeId, token: code } });
  return accessToken;
}

async function readField(server: TestServer, target: string, name: string): Promise<string[]> {
  const { json } = await server.send({ method: 'GET', path: target });
  return (json as Readonly<Record<string, string>>[]).map((row) => row[name] ?? '');
}

/** Words after two dashes are not options. */
function withOptions(words: readonly string[], added: readonly string[]): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return [...words.slice(0, end), ...added, ...words.slice(end)];
}

function isFile(word: string): boolean {
  return /^([\w-]+\.(csv|jsonl?|ndjson|yaml|token|resume-log)|iam\/|first-password)$/.test(word);
}
