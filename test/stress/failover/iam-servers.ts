/** Several servers of the product on one database. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { programs, root } from '../paths.ts';
import { Daemon } from './daemon.ts';

export const administrator = { clientId: 'stress-admin', clientSecret: 'a-secret-for-stress-tests-only' };

export interface ServersOptions {
  readonly folder: string;
  readonly ports: readonly number[];
  readonly databaseUrl: string;
  readonly issuer: string;
  readonly seededBug: string | undefined;
}

/** The program with seeded bugs; without one, the product is started. */
const buggyServer = path.join(root, 'dist/stress/failover/server.js');

/** The database is in use: so far, until the lease of a killed server ends. */
const inUseCode = 13;
/** Milliseconds. */
const startTimeout = 90_000;

export class IamServers {
  readonly #options: ServersOptions;
  readonly #daemons: Daemon[] = [];

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#options.ports.length;
  }

  /** The address that clients use. */
  get issuer(): string {
    return this.#options.issuer;
  }

  /** Starts all servers; the first one creates the tables. */
  async start(): Promise<void> {
    await this.startOne(0);
    await Promise.all(this.#options.ports.slice(1).map((_, at) => this.startOne(at + 1)));
  }

  /** Starts a server and waits until it is ready. @throws Error with its output */
  async startOne(at: number): Promise<void> {
    const end = performance.now() + startTimeout;
    for (;;) {
      const daemon = this.#spawn(at);
      this.#daemons[at] = daemon;
      while (daemon.isRunning && (await this.readStatus(at, '/readyz')) !== 200) await setTimeout(50);
      if (daemon.isRunning) return;
      if (daemon.exitCode !== inUseCode || performance.now() > end)
        throw new Error(`server ${at} ended with ${daemon.exitCode}: ${this.#readLog(at).slice(-1000)}`);
      await setTimeout(1000);
    }
  }

  /** `kill -9`. */
  async killOne(at: number): Promise<void> {
    await this.#daemons[at]?.kill();
  }

  /** @throws Error if a server that no suite killed has ended */
  assertAllRunning(): void {
    const at = this.#daemons.findIndex((daemon) => !daemon.isRunning);
    if (at >= 0) throw new Error(`server ${at} ended by itself: ${this.#readLog(at).slice(-1000)}`);
  }

  /** Returns the status of a path of one server; 0 without a response in two seconds. */
  async readStatus(at: number, pathname: string): Promise<number> {
    try {
      const url = `http://127.0.0.1:${this.#options.ports[at]}${pathname}`;
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.#daemons.map((daemon) => daemon.kill()));
  }

  #spawn(at: number): Daemon {
    const { ports, databaseUrl, issuer, seededBug, folder } = this.#options;
    const flags = { store: 'postgres', port: String(ports[at]), issuer, 'audit-log': 'off', 'log-level': 'warn' };
    const switches = ['init', 'fast-passwords', 'disable-rate-limits', 'json'];
    const args =
      seededBug === undefined
        ? [
            programs.product,
            'serve',
            ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
            ...switches.map((name) => `--${name}`),
          ]
        : [
            buggyServer,
            seededBug,
            JSON.stringify({ ...flags, ...Object.fromEntries(switches.map((name) => [name, true])) }),
          ];
    return new Daemon(process.execPath, args, {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        IAM_DATABASE_URL: databaseUrl,
        IAM_ADMIN_CLIENT_ID: administrator.clientId,
        IAM_ADMIN_CLIENT_SECRET: administrator.clientSecret,
        IAM_ADMIN_PASSWORD: 'correct horse battery staple',
      },
      logFile: this.#logFile(at),
    });
  }

  #logFile(at: number): string {
    return path.join(this.#options.folder, `server${at}.log`);
  }

  #readLog(at: number): string {
    return readFileSync(this.#logFile(at), 'utf8');
  }
}
