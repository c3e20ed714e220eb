/** Where the examples of commands are tried: one server, brought back to its beginning before each. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { saveProfile } from '../../../src/cli/runtime/profile.ts';
import { adminClient, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { type Given, Home, iam, type Outcome } from '../run-cli.ts';
import { type Arrangement, arrangements } from './arrangements.ts';
import { deployerSecret, password, seed } from './world.ts';

/** One thing that a command says of itself, by `iam commands --json`. */
export interface Entry {
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

/** A call that reached the server. */
export interface Call {
  readonly method: string;
  readonly operation?: string;
  readonly status: number;
  readonly requestId: string;
}

/** An example that can be run: its words, and everything it needs. */
export interface Ready {
  readonly words: readonly string[];
  /** The exit code that it ends with. */
  readonly code: number;
  run(more?: readonly string[], given?: Given): Promise<Outcome>;
}

type Tokens = Readonly<Record<'administrator' | 'alice' | 'bob', string>>;

const snapshot = 'walk';
const kept = ['before', 'after'];

/** Every command once; two operations may have one. */
export async function catalogue(): Promise<Entry[]> {
  const entries = JSON.parse((await iam(['commands', '--json'])).out) as Entry[];
  return entries.filter(({ command }, at) => entries.findIndex((other) => other.command === command) === at);
}

export class Stage implements AsyncDisposable {
  readonly #homes: Home[] = [];
  /** What stands for the ids that only a server gives. */
  readonly names: Readonly<Record<string, string>>;
  readonly server: TestServer;
  readonly #tokens: Tokens;

  constructor(server: TestServer, tokens: Tokens, names: Readonly<Record<string, string>>) {
    this.server = server;
    this.names = names;
    this.#tokens = tokens;
  }

  static async make(): Promise<Stage> {
    const environment = { IAM_APP_CLIENT_ID: 'APP_CLIENT_ID' };
    // What is asked of the machine's own clock, as by `iam doctor`, has to agree.
    const clock = createFakeClock(new Date().toISOString());
    const server = await startServer({ seed, environment, clock, flags: { 'fast-passwords': true } });
    const tokens = {
      administrator: (await server.as({ basic: adminClient }).clientIdentities.login()).accessToken,
      alice: await proven(server, await signedIn(server, 'alice')),
      bob: await signedIn(server, 'bob'),
    };
    const body = { userName: 'alice' };
    for (const _ of ['an earlier message', 'the last'])
      await server.as().userIdentities.retrieve({ query: application, body });
    const [message, earlier] = await ids(server, '/_iam/inbox', 'id');
    const [session] = await ids(server, '/_iam/sessions', 'sessionId');
    const names = {
      ...{ MESSAGE_ID: message ?? '', ID: earlier ?? '', SESSION_ID: session ?? '' },
      ...{ TOKEN_ID: tokens.bob, 'https://iam.example.com': server.url },
    };
    const stage = new Stage(server, tokens, names);
    await stage.#control('POST', 'state/snapshots', { name: snapshot });
    return stage;
  }

  /** Everything as it was at first, also what no state holds. */
  async reset(): Promise<void> {
    const { clock } = this.server;
    clock.advance((Date.now() - clock.now().getTime()) / 1000);
    await this.#control('PUT', 'clock', { reset: true });
    await this.#control('DELETE', 'faults');
    await this.#control('DELETE', 'sandboxes/test-1');
    for (const name of kept) await this.#control('DELETE', `state/snapshots/${name}`);
    await this.#control('POST', `state/snapshots/${snapshot}/restore`);
  }

  /** Gives the id of the call. */
  async #control(method: string, target: string, json?: unknown): Promise<string> {
    const path = `/_iam/${target}`;
    const body = json === undefined ? undefined : JSON.stringify(json);
    const type = body === undefined ? [] : [['content-type', 'application/json'] as const];
    const { status, headers } = await this.server.send({ method, path, headers: type, body });
    if (status >= 300 && status !== 404) throw new Error(`${method} ${path} was answered with ${status}`);
    return String(headers['x-request-id']);
  }

  /** Where the log stands once everything that was called is in it: a line is written after its answer. */
  async mark(): Promise<number> {
    const last = await this.#control('GET', 'clock');
    while (!this.server.log.at(-1)?.includes(last)) await new Promise(setImmediate);
    return this.server.log.length;
  }

  /** The calls since such a mark. */
  async callsSince(mark: number): Promise<Call[]> {
    const end = (await this.mark()) - 1;
    const lines = this.server.log.slice(mark, end).map((line) => JSON.parse(line) as Call & { readonly msg: string });
    return lines.filter(({ msg }) => msg === 'call');
  }

  /** Makes everything that an example needs; `url` is another server to call than that of the stage. */
  async ready(example: string, url = this.server.url): Promise<Ready> {
    const home = await Home.make();
    this.#homes.push(home);
    const arrangement: Arrangement = arrangements[example] ?? {};
    for (const name of arrangement.profiles ?? [])
      await saveProfile(name, { baseUrl: url, ...adminClient }, home.variables);
    for (const [name, text] of Object.entries(arrangement.files ?? {})) {
      await mkdir(path.dirname(home.file(name)), { recursive: true });
      await writeFile(home.file(name), text);
    }
    const given = (more: Given = {}, as = arrangement.as): Given => ({
      url,
      variables: { XDG_STATE_HOME: home.file('state'), ...this.#variables(as) },
      now: () => this.server.clock.now().getTime(),
      ...more,
    });
    for (const line of arrangement.before ?? [])
      await home.iam(this.#words(home, line), { ...given({}), url: this.server.url });
    const more = await arrangement.prepare?.({
      iam: (line, as) => home.iam(this.#words(home, line), { ...given({}, as), url: this.server.url }),
    });
    const names = { ...arrangement.names, ...more?.names };
    const stdin = more?.stdin ?? arrangement.stdin;
    const words = this.#words(home, example, names).slice(1);
    return {
      words,
      code: arrangement.code ?? 0,
      run: (added = [], changed = {}) =>
        home.iam(withOptions(words, added), {
          ...given({ ...(stdin === undefined ? {} : { stdin }), ...(arrangement.terminal ? { columns: 80 } : {}) }),
          ...changed,
        }),
    };
  }

  #variables(as: Arrangement['as'] = 'administrator'): Record<string, string> {
    if (as === 'nobody') return {};
    if (as === 'client') return { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    if (as === 'password') return { IAM_PASSWORD: password };
    if (as === 'deployer') return { IAM_CLIENT_SECRET: deployerSecret };
    return { IAM_TOKEN: this.#tokens[as] };
  }

  /** As a shell reads it, without what only a shell does; files are in the folder of the example. */
  #words(home: Home, line: string, names: Readonly<Record<string, string>> = {}): string[] {
    const [typed = ''] = line.split(/ [>|] /);
    const all = { ...this.names, ...names };
    const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    return words.map((word) => all[word] ?? (isFile(word) ? home.file(word) : word));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const home of this.#homes) await home[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

const application = { clientId: 'APP_CLIENT_ID' };

async function signedIn(server: TestServer, userName: string): Promise<string> {
  const client = server.as({ basic: { clientId: userName, clientSecret: password } });
  const { accessToken } = await client.userIdentities.login({ query: { ...application, 'remember-me': true } });
  return accessToken;
}

/** The token of a user after a second proof. */
async function proven(server: TestServer, token: string): Promise<string> {
  const { userIdentities } = server.as({ token });
  const { challengeId } = await userIdentities.leverageMfa({ body: {} });
  const [code = ''] = await ids(server, '/_iam/inbox', 'code');
  const { accessToken } = await userIdentities.fulfillMfa({ body: { challengeId, token: code } });
  return accessToken;
}

async function ids(server: TestServer, target: string, name: string): Promise<string[]> {
  const { json } = await server.send({ method: 'GET', path: target });
  return (json as Readonly<Record<string, string>>[]).map((row) => row[name] ?? '');
}

/** What stands after two dashes is no option. */
function withOptions(words: readonly string[], added: readonly string[]): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return [...words.slice(0, end), ...added, ...words.slice(end)];
}

function isFile(word: string): boolean {
  return /^([\w-]+\.(csv|jsonl?|yaml|ledger)|iam\/|first-password)$/.test(word);
}
