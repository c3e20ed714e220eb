/** What the figures are measured on: made stores, and the servers on them, each started when first asked for. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeOn, root, ServerProcess } from './processes.ts';
import { appClientId, basic, login } from './requests.ts';

/** How many groups each store has. That of people has users besides, and its groups stand in long chains. */
export const sizes = { small: 1_000, large: 100_000, people: 10_000 } as const;
export type Size = keyof typeof sizes;

export const client = { id: 'bench-admin', secret: 'the-secret-of-the-benchmark-is-none' };
const environment = {
  IAM_ADMIN_CLIENT_ID: client.id,
  IAM_ADMIN_CLIENT_SECRET: client.secret,
  IAM_APP_CLIENT_ID: appClientId,
  IAM_ADMIN_PASSWORD: 'correct horse battery staple',
};

export interface ServerUnderTest {
  readonly size: Size;
  readonly folder: string;
  readonly server: ServerProcess;
  /** Of the administrator client. */
  readonly token: string;
}

export class BenchEnvironment {
  // Beside the project's own files, so that it is on a disk that syncs as theirs does.
  readonly #folder = mkdtempSync(path.join(root, 'node_modules/.iam-bench-'));
  readonly #stores = new Map<Size, Promise<string>>();
  readonly #servers = new Map<Size, Promise<ServerUnderTest>>();
  #floor: Promise<ServerProcess> | undefined;
  #hashFloor: Promise<ServerProcess> | undefined;

  /** The folder of a store that was started once, so that everything a first start makes is there. */
  store(size: Size): Promise<string> {
    return memoize(this.#stores, size, async () => {
      const folder = path.join(this.#folder, size);
      const script = fileURLToPath(new URL('./make-store.js', import.meta.url));
      const [command, args] = nodeOn('driver', [
        script,
        folder,
        String(sizes[size]),
        size === 'people' ? 'people' : 'groups',
      ]);
      execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
      await (await ServerProcess.iam(folder, environment)).stop();
      return folder;
    });
  }

  /** That of people leaves the hashes of no cost as they are: any other would put real ones in their place at a login. */
  #startServer(size: Size, folder: string): Promise<ServerProcess> {
    const more = size === 'people' ? { IAM_SERVE_FAST_PASSWORDS: 'true' } : {};
    return ServerProcess.iam(folder, { ...environment, ...more });
  }

  /** A running server with this many groups. */
  server(size: Size): Promise<ServerUnderTest> {
    return memoize(this.#servers, size, async () => {
      const folder = await this.store(size);
      const server = await this.#startServer(size, folder);
      const token = await login(server.port, basic(client.id, client.secret));
      await server.query('reset');
      return { size, folder, server, token };
    });
  }

  floor(): Promise<ServerProcess> {
    this.#floor ??= ServerProcess.floor();
    return this.#floor;
  }

  hashFloor(): Promise<ServerProcess> {
    this.#hashFloor ??= ServerProcess.hashFloor();
    return this.#hashFloor;
  }

  /** Everybody waits, stopped, for their turn. */
  async suspendAll(): Promise<void> {
    const floors = await Promise.all([this.#floor, this.#hashFloor]);
    for (const { server } of await this.servers()) await server.suspend();
    for (const floor of floors) await floor?.suspend();
  }

  /** The servers that run now. */
  async servers(): Promise<ServerUnderTest[]> {
    return Promise.all(this.#servers.values());
  }

  async close(): Promise<void> {
    const floors = await Promise.all([this.#floor, this.#hashFloor]);
    const servers = (await this.servers()).map(({ server }) => server);
    await Promise.all([...servers, ...floors].map((server) => server?.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function memoize<Key, Value>(map: Map<Key, Promise<Value>>, key: Key, make: () => Promise<Value>): Promise<Value> {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
