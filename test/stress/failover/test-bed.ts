/** The database, the servers and the balancer of a failover suite. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startBalancer } from './balancer.ts';
import { type Daemon, findFreePorts, signalProcesses, waitFor } from './daemon.ts';
import { GroupOracle } from './group-oracle.ts';
import { HttpConnection } from './http-connection.ts';
import { IamServers } from './iam-servers.ts';
import { PatroniCluster } from './patroni-cluster.ts';
import type { PatroniMember } from './patroni-member.ts';
import type { FailoverPrograms } from './programs.ts';

export interface TestBedOptions {
  readonly programs: FailoverPrograms;
  readonly serverCount: number;
  readonly seededBug: string | undefined;
}

/** Milliseconds. */
const readyTimeout = 30_000;

export class TestBed {
  readonly oracle = new GroupOracle();
  readonly cluster: PatroniCluster;
  readonly servers: IamServers;
  /** To the balancer. */
  readonly connection: HttpConnection;
  readonly #balancer: Daemon;

  private constructor(cluster: PatroniCluster, servers: IamServers, balancer: Daemon, connection: HttpConnection) {
    this.cluster = cluster;
    this.servers = servers;
    this.#balancer = balancer;
    this.connection = connection;
  }

  /** Starts everything, calls `work`, and removes everything. */
  static async use<Result>(options: TestBedOptions, work: (bed: TestBed) => Promise<Result>): Promise<Result> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'iam-failover-'));
    chmodSync(folder, 0o755);
    const removals: (() => Promise<void>)[] = [];
    try {
      return await work(await TestBed.#start(options, folder, removals));
    } finally {
      for (const remove of removals.reverse()) await remove();
      keepLogs(folder, process.env.IAM_STRESS_LOGS);
      rmSync(folder, { recursive: true, force: true });
    }
  }

  static async #start(
    { programs, serverCount, seededBug }: TestBedOptions,
    folder: string,
    removals: (() => Promise<void>)[],
  ): Promise<TestBed> {
    const synchronousCommit = seededBug === 'asynchronous-commit' ? 'local' : 'on';
    const cluster = await PatroniCluster.start({ folder, programs, synchronousCommit });
    removals.push(() => cluster.remove());
    const [port = 0, ...ports] = await findFreePorts(1 + serverCount);
    const { databaseUrl } = cluster;
    const servers = new IamServers({ folder, ports, databaseUrl, issuer: `http://127.0.0.1:${port}`, seededBug });
    removals.push(() => servers.remove());
    await servers.start();
    const balancer = startBalancer(programs, folder, port, ports);
    const connection = new HttpConnection(port);
    removals.push(async () => {
      connection.close();
      await balancer.kill();
    });
    const bed = new TestBed(cluster, servers, balancer, connection);
    await waitFor('a login through the balancer', readyTimeout, () => bed.#tryLogIn());
    return bed;
  }

  /** Waits until database and servers are as at the beginning. @returns the primary */
  async waitUntilHealthy(): Promise<PatroniMember> {
    const primary = await this.cluster.waitUntilHealthy();
    this.servers.assertAllRunning();
    if (!this.#balancer.isRunning) throw new Error('the balancer ended');
    await waitFor('every server is ready', readyTimeout, async () => ((await this.areReady()) ? true : undefined));
    return primary;
  }

  async areReady(): Promise<boolean> {
    const numbers = Array.from({ length: this.servers.count }, (_, at) => at);
    const statuses = await Promise.all(numbers.map((at) => this.servers.readStatus(at, '/readyz')));
    return statuses.every((status) => status === 200);
  }

  /**
   * Stops the processes of the standbys that receive the WAL: commits wait.
   * @returns `continue` lets them go on; `discard` ends them, so that nothing arrives that was sent meanwhile
   */
  pauseReplication(primary: PatroniMember): { continue(): void; discard(): void } {
    const standbys = this.cluster.members.filter((member) => member !== primary);
    const receivers = standbys.flatMap((member) => member.findWalReceivers());
    signalProcesses(receivers, 'SIGSTOP');
    return {
      continue: () => signalProcesses(receivers, 'SIGCONT'),
      discard: () => {
        signalProcesses(receivers, 'SIGTERM');
        signalProcesses(receivers, 'SIGCONT');
      },
    };
  }

  #tryLogIn(): Promise<true | undefined> {
    return this.connection.logIn().then(
      () => true as const,
      () => undefined,
    );
  }
}

/** Copies the logs of all processes. */
function keepLogs(folder: string, target: string | undefined): void {
  if (target === undefined) return;
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => /[.](log|cfg)$/.test(each)))
    copyFileSync(path.join(folder, name), path.join(target, name));
}
