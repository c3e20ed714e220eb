/** The environment of the benchmarks: generated stores and their servers, each created on first use. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { measuredEnvironment, nodeOn, root, ServerProcess } from './processes.ts';
import { appClientId, basic, login } from './requests.ts';

/** Number of groups per store. The store `people` also has users, and its groups form long chains. */
export const sizes = { small: 1_000, large: 100_000, people: 10_000, million: 1_000_000 } as const;
export type Size = keyof typeof sizes;

export const client = { id: 'bench-admin', secret: 'a-secret-for-benchmarks-only' };
const settings = {
  IAM_ADMIN_CLIENT_ID: client.id,
  IAM_ADMIN_CLIENT_SECRET: client.secret,
  IAM_APP_CLIENT_ID: appClientId,
  IAM_ADMIN_PASSWORD: 'correct horse battery staple',
};

export interface ServerUnderTest {
  readonly size: Size;
  readonly folder: string;
  readonly server: ServerProcess;
  /** An access token of the administrator client. */
  readonly token: string;
}

interface StartOptions {
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export class BenchEnvironment {
  // Within the project, so that the stores are on a real disk rather than a tmpfs.
  readonly #folder = mkdtempSync(path.join(root, 'node_modules/.iam-bench-'));
  /** The variables of all measured processes. The compile cache of Node is in the cache home. */
  readonly environment = { HOME: this.#folder, XDG_CACHE_HOME: path.join(this.#folder, 'cache') };
  /** The database of the servers; undefined for folders. */
  readonly #databaseUrl: string | undefined;
  readonly #stores = new Map<Size, Promise<string>>();
  readonly #schemas: string[] = [];
  readonly #servers = new Map<Size, Promise<ServerUnderTest>>();
  #floor: Promise<ServerProcess> | undefined;

  constructor(databaseUrl?: string) {
    this.#databaseUrl = databaseUrl;
  }

  /** Returns the folder of a store that was started once, so that a first start has initialized it. */
  store(size: Size): Promise<string> {
    return memoize(this.#stores, size, async () => {
      const folder = path.join(this.#folder, size);
      const script = fileURLToPath(new URL('./make-store.js', import.meta.url));
      const [command, args] = nodeOn('driver', [script, folder, String(sizes[size]), size]);
      execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
      await (await ServerProcess.iam({ folder }, { ...this.environment, ...settings })).stop();
      return folder;
    });
  }

  /** Starts a server. The store `people` needs fast passwords, or logins would upgrade its cheap hashes. */
  #startServer(size: Size, folder: string): Promise<ServerProcess> {
    const more = size === 'people' ? { IAM_SERVE_FAST_PASSWORDS: 'true' } : {};
    const environment = { ...this.environment, ...settings, ...more };
    const url = this.#databaseUrl;
    if (url === undefined) return ServerProcess.iam({ folder }, environment);
    return this.startOnSchema(this.#copyToDatabase(size, folder, url), { environment: more });
  }

  /** Starts more servers on the schema of a server that runs. */
  async startBeside(size: Size, count: number): Promise<ServerProcess[]> {
    await this.server(size);
    return Promise.all(Array.from({ length: count }, () => this.startOnSchema(this.#schemaOf(size))));
  }

  #schemaOf(name: string): string {
    return `bench_${process.pid}_${name}`;
  }

  /** Returns the name of a new schema that is removed with the environment. */
  newSchema(): string {
    const schema = this.#schemaOf(`new_${this.#schemas.length}`);
    this.#schemas.push(schema);
    return schema;
  }

  /** Starts a server on a schema of the database, with more arguments and variables. */
  startOnSchema(schema: string, { words = [], environment = {} }: StartOptions = {}): Promise<ServerProcess> {
    const database = { IAM_DATABASE_URL: this.databaseUrl };
    return ServerProcess.iam({ schema, words }, { ...this.environment, ...settings, ...environment, ...database });
  }

  /** @throws Error without a database */
  get databaseUrl(): string {
    if (this.#databaseUrl === undefined) throw new Error('this measure requires a database');
    return this.#databaseUrl;
  }

  /** Copies a store into a schema of its own. @returns its name */
  #copyToDatabase(size: Size, folder: string, url: string): string {
    const schema = this.#schemaOf(size);
    this.#schemas.push(schema);
    const words = ['store', 'copy', '--from', folder, '--to', 'postgres', '--database-schema', schema];
    execFileSync(process.execPath, [path.join(root, 'bin/iam.js'), ...words], {
      env: measuredEnvironment({ ...this.environment, IAM_DATABASE_URL: url }) as NodeJS.ProcessEnv,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return schema;
  }

  async #dropSchemas(): Promise<void> {
    if (this.#schemas.length === 0) return;
    const { default: pg } = await import('pg');
    const database = new pg.Client({ connectionString: this.#databaseUrl });
    await database.connect();
    for (const schema of this.#schemas) await database.query(`drop schema if exists ${schema} cascade`);
    await database.end();
  }

  /** Starts a server without monitor and settings, to measure its start. */
  startUnmonitored(folder: string): Promise<ServerProcess> {
    return ServerProcess.iamUnmonitored(folder, this.environment);
  }

  /** Starts a server that can be queried, and is not stopped with the environment. */
  startMonitored(size: Size, folder: string): Promise<ServerProcess> {
    return this.#startServer(size, folder);
  }

  /** The same on a new store with this seed, which it uses alone. */
  startSeeded(seed: object): Promise<ServerProcess> {
    if (this.#databaseUrl !== undefined)
      return this.startOnSchema(this.newSchema(), { words: ['--init', '--exclusive', ...this.seedWords(seed)] });
    const store = { folder: path.join(this.emptyFolder(), 'store'), words: this.seedWords(seed) };
    return ServerProcess.iam(store, { ...this.environment, ...settings });
  }

  /** Returns the arguments that make a server apply this seed when it starts. */
  seedWords(seed: object): readonly string[] {
    const file = path.join(this.emptyFolder(), 'seed.json');
    writeFileSync(file, JSON.stringify(seed));
    return ['--seed', file];
  }

  /** Returns a new, empty folder that is removed with the environment. */
  emptyFolder(): string {
    return mkdtempSync(path.join(this.#folder, 'empty-'));
  }

  /** Returns a running server on the store of this size. */
  server(size: Size): Promise<ServerUnderTest> {
    return memoize(this.#servers, size, async () => {
      const folder = await this.store(size);
      const server = await this.#startServer(size, folder);
      const token = await login(server.port, basic(client.id, client.secret));
      return { size, folder, server, token };
    });
  }

  floor(): Promise<ServerProcess> {
    this.#floor ??= ServerProcess.floor();
    return this.#floor;
  }

  /** Suspends all servers and the floor, so that only the measured one runs. */
  async suspendAll(): Promise<void> {
    for (const server of await this.#started()) server.suspend();
  }

  async #started(): Promise<ServerProcess[]> {
    const floor = await this.#floor;
    const servers = await Promise.all(this.#servers.values());
    return [...servers.map(({ server }) => server), ...(floor === undefined ? [] : [floor])];
  }

  async close(): Promise<void> {
    await Promise.all((await this.#started()).map((server) => server.stop()));
    await this.#dropSchemas();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function memoize<Key, Value>(map: Map<Key, Promise<Value>>, key: Key, make: () => Promise<Value>): Promise<Value> {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
