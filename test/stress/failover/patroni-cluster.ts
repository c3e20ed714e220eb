/** Three machines with PostgreSQL under Patroni, and etcd, all on this machine. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Daemon, findFreePorts, waitFor } from './daemon.ts';
import { DroppingProxy, type Inquiries } from './dropping-proxy.ts';
import { PatroniMember } from './patroni-member.ts';
import type { FailoverPrograms } from './programs.ts';

export interface ClusterOptions {
  readonly folder: string;
  readonly programs: FailoverPrograms;
  readonly synchronousCommit: 'on' | 'local';
}

const memberCount = 3;
/** Milliseconds. Generous: the machine may be busy, and a member may need a new copy of the database. */
const healthTimeout = 180_000;
const timeUntilRestart = 60_000;

interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

export class PatroniCluster {
  readonly members: readonly PatroniMember[];
  /** Between the servers and each member, in the same order. */
  readonly proxies: readonly DroppingProxy[];
  readonly inquiries: Inquiries;
  readonly #etcd: Daemon;
  #restarts = 0;

  private constructor(
    etcd: Daemon,
    members: readonly PatroniMember[],
    proxies: readonly DroppingProxy[],
    inquiries: Inquiries,
  ) {
    this.#etcd = etcd;
    this.members = members;
    this.proxies = proxies;
    this.inquiries = inquiries;
  }

  /** Starts everything, and creates the database `iam` of the user `iam`. */
  static async start({ folder, programs, synchronousCommit }: ClusterOptions): Promise<PatroniCluster> {
    const [clientPort = 0, peerPort = 0, ...ports] = await findFreePorts(2 + 2 * memberCount);
    const etcd = startEtcd(programs, folder, clientPort, peerPort);
    const inquiries = { committed: 0, void: 0 };
    const members: PatroniMember[] = [];
    const proxies: DroppingProxy[] = [];
    const cluster = new PatroniCluster(etcd, members, proxies, inquiries);
    try {
      for (let at = 0; at < memberCount; at += 1) {
        const [postgresPort = 0, restPort = 0] = ports.slice(2 * at);
        const etcdHosts = [`127.0.0.1:${clientPort}`];
        const name = `member${at}`;
        members.push(
          new PatroniMember({ name, folder, programs, postgresPort, restPort, etcdHosts, synchronousCommit }),
        );
        proxies.push(await DroppingProxy.start(postgresPort, inquiries));
      }
      for (const member of members) member.start();
      const primary = await cluster.waitUntilHealthy();
      await primary.query('create role iam login');
      await primary.query('create database iam owner iam');
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  /** The addresses for the servers, all through proxies. */
  get databaseUrl(): string {
    return this.proxies.map(({ port }) => `postgres://iam@127.0.0.1:${port}/iam`).join(',');
  }

  proxyOf(member: PatroniMember): DroppingProxy {
    return this.proxies[this.members.indexOf(member)] as DroppingProxy;
  }

  /** How often Patroni was restarted, as an operator would. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Waits for a primary with two standbys, one of them synchronous. Patroni 3.0 can go on for ever with "Synchronous
   * replication key updated by someone else", until it is restarted. @returns the primary
   */
  async waitUntilHealthy(): Promise<PatroniMember> {
    const wait = (timeout: number) =>
      waitFor('a primary with two standbys', timeout, () => this.#findHealthyPrimary(), 250);
    try {
      return await wait(timeUntilRestart);
    } catch {
      this.#restarts += 1;
      for (const member of this.members) await member.restartPatroni();
      return wait(healthTimeout);
    }
  }

  async #findHealthyPrimary(): Promise<PatroniMember | undefined> {
    const states = await this.#readStates();
    const leader = states.find(({ role, state }) => role === 'leader' && state === 'running');
    if (!leader || states.filter(({ role }) => role === 'sync_standby').length !== 1) return undefined;
    if (states.some(({ timeline }) => timeline !== leader.timeline)) return undefined;
    const primary = this.members.find(({ name }) => name === leader.name);
    const standbys = await primary
      ?.query<{ sync_state: string }>("select sync_state from pg_stat_replication where state = 'streaming'")
      .catch(() => []);
    if (standbys?.length !== memberCount - 1) return undefined;
    return standbys.some(({ sync_state }) => sync_state === 'sync') ? primary : undefined;
  }

  /** What Patroni says about all members. */
  async #readStates(): Promise<readonly MemberState[]> {
    for (const { restPort } of this.members) {
      try {
        const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(1_000) });
        const { members } = (await response.json()) as { members: readonly MemberState[] };
        if (members.length === memberCount) return members;
      } catch {
        // Another member knows it as well.
      }
    }
    return [];
  }

  async remove(): Promise<void> {
    await Promise.all(this.members.map((member) => member.remove()));
    await this.#etcd.kill();
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }
}

function startEtcd(programs: FailoverPrograms, folder: string, clientPort: number, peerPort: number): Daemon {
  const [client, peer] = [clientPort, peerPort].map((port) => `http://127.0.0.1:${port}`);
  const data = path.join(folder, 'etcd');
  mkdirSync(data, { mode: 0o700 });
  const options = {
    name: 'etcd0',
    'data-dir': data,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `etcd0=${peer}`,
    'enable-v2': 'true',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  return new Daemon(programs.etcd, args, { cwd: folder, env: {}, logFile: path.join(folder, 'etcd.log') });
}
