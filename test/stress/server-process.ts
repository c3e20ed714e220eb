/** Starts, queries, stops and kills a server in a child process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createClient, type IamClient } from '../../src/client/index.ts';
import { programs, root } from './paths.ts';
import type { InstrumentedServerOptions } from './server.ts';

const credentials = { clientId: 'stress-admin', clientSecret: 'a-secret-for-stress-tests-only' };
const environment = {
  IAM_ADMIN_CLIENT_ID: credentials.clientId,
  IAM_ADMIN_CLIENT_SECRET: credentials.clientSecret,
  IAM_ADMIN_PASSWORD: 'correct horse battery staple',
  IAM_SERVE_FAST_PASSWORDS: 'true',
  UV_USE_IO_URING: '0',
};

export interface StartOptions {
  /** Arguments before `node` on the command line, such as strace and its options. */
  readonly commandPrefix?: readonly string[];
  /** Settings besides those of all suites, as variables. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The server ended before it was ready. */
export class StartError extends Error {}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #clients: IamClient[] = [];
  #url = '';
  #wasKilled = false;
  stderr = '';

  private constructor(args: readonly string[], { commandPrefix = [], settings }: StartOptions) {
    const [command = '', ...rest] = [...commandPrefix, process.execPath, ...args];
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('IAM_'));
    this.#child = spawn(command, rest, {
      cwd: root,
      env: { ...Object.fromEntries(inherited), ...environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe', commandPrefix.length > 0 ? 'ignore' : 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#ended = once(this.#child, 'close').then(() => {});
  }

  /** Starts the server of the product. */
  static product(folder: string, options: StartOptions = {}): ServerProcess {
    return new ServerProcess([programs.product, 'serve', '--port', '0', '--data', folder, '--json'], options);
  }

  /** Starts the instrumented server, which writes frequent checkpoints by default. */
  static instrumented(serverOptions: InstrumentedServerOptions, options: StartOptions = {}): ServerProcess {
    return new ServerProcess([programs.instrumented, JSON.stringify(serverOptions)], options);
  }

  /** Starts the instrumented server if a bug is seeded or checkpoints are to be frequent, otherwise the product. */
  static either(folder: string, seededBug: string | undefined, frequent: boolean, options: StartOptions = {}) {
    if (seededBug === undefined && !frequent) return ServerProcess.product(folder, options);
    return ServerProcess.instrumented({ data: folder, seededBug, frequent }, options);
  }

  /** Resolves when the server is ready. @throws StartError with its stderr if it ended before. */
  async ready(): Promise<this> {
    const line = await Promise.race([firstLine(this.#child), this.#ended]);
    if (line === undefined) throw new StartError(`the server did not start: ${this.outcome} ${this.stderr}`);
    this.#url = (JSON.parse(line) as { url: string }).url;
    return this;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The exit code or the signal of a process that has ended. */
  get outcome(): number | NodeJS.Signals | null {
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  /** Returns a client with administrator credentials; `ended` closes it. */
  client(): IamClient {
    const client = createClient({ baseUrl: this.#url, credentials, timeouts: { total: 30_000 }, connections: 64 });
    this.#clients.push(client);
    return client;
  }

  /** Returns the status of a path outside the API, such as /readyz. */
  async status(path: string): Promise<number> {
    const response = await fetch(this.#url + path);
    await response.arrayBuffer();
    return response.status;
  }

  /** Returns the ids of the published keys; the current signing key comes first. */
  async keyIds(): Promise<string[]> {
    const response = await fetch(`${this.#url}/.well-known/jwks.json`);
    const { keys } = (await response.json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid);
  }

  /** Sends a POST to the control plane and returns the status. */
  async control(path: string): Promise<number> {
    return (await this.send('POST', `/_iam${path}`)).status;
  }

  /** Sends a request with administrator credentials and an optional JSON body. */
  async send(method: string, path: string, body?: object): Promise<{ status: number; requestId: string }> {
    const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64');
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Basic ${basic}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return { status: response.status, requestId: response.headers.get('x-request-id') ?? '' };
  }

  /** Returns the active resources of the instrumented server's event loop. */
  async resources(): Promise<string[]> {
    this.#child.send('resources');
    const [resources] = (await once(this.#child, 'message')) as [string[]];
    return resources;
  }

  /** Whether a suite has sent SIGKILL. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  signal(signal: NodeJS.Signals): void {
    this.#wasKilled ||= signal === 'SIGKILL';
    this.#child.kill(signal);
  }

  async ended(): Promise<void> {
    await this.#ended;
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    await this.ended();
  }
}

async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined;
  for await (const line of createInterface(child.stdout)) return line;
  return undefined;
}
