/** One machine of the database: Patroni with its PostgreSQL. */
import { spawnSync } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import pg from 'pg';
import {
  Daemon,
  freezeTree,
  killTree,
  listChildren,
  readCommandLine,
  signalProcesses,
  unprivilegedUser,
} from './daemon.ts';
import type { FailoverPrograms } from './programs.ts';

export interface MemberOptions {
  readonly name: string;
  readonly folder: string;
  readonly programs: FailoverPrograms;
  readonly postgresPort: number;
  readonly restPort: number;
  readonly etcdHosts: readonly string[];
  /** Of PostgreSQL, for all members. */
  readonly synchronousCommit: 'on' | 'local';
}

/** Enough for half an hour of writes with short WAL segments; the suite `disk` fills the rest. */
const diskSize = '1g';

export class PatroniMember {
  readonly name: string;
  readonly postgresPort: number;
  readonly restPort: number;
  /** Whether the data is on a disk of its own, which can be filled. */
  readonly hasOwnDisk: boolean;
  readonly #options: MemberOptions;
  readonly #disk: string;
  #patroni: Daemon | undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.name = options.name;
    this.postgresPort = options.postgresPort;
    this.restPort = options.restPort;
    this.#disk = path.join(options.folder, options.name);
    mkdirSync(this.#disk);
    this.hasOwnDisk =
      process.getuid?.() === 0 &&
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskSize},mode=755`, 'tmpfs', this.#disk]).status === 0;
    const { uid, gid } = unprivilegedUser;
    if (uid !== undefined) chownSync(this.#disk, uid, gid);
    writeFileSync(this.#configFile, JSON.stringify(createConfig(options, this.#dataFolder), null, 2), { mode: 0o644 });
  }

  /** Starts Patroni, which starts PostgreSQL. */
  start(): void {
    const { folder, programs } = this.#options;
    this.#patroni = new Daemon('/usr/bin/python3', [programs.patroni, this.#configFile], {
      cwd: folder,
      env: {
        PATH: `${programs.postgresFolder}:/usr/bin:/bin`,
        LANG: 'C.UTF-8',
        HOME: this.#disk,
        PYTHONPATH: programs.pythonPath,
        PYTHONDONTWRITEBYTECODE: '1',
      },
      logFile: path.join(folder, `${this.name}.log`),
      user: unprivilegedUser,
    });
  }

  /** Ends Patroni and starts it again; PostgreSQL goes on. */
  async restartPatroni(): Promise<void> {
    await this.#patroni?.kill();
    this.start();
  }

  /** The ids of the processes of PostgreSQL, the postmaster first. */
  listPostgres(): readonly number[] {
    const postmaster = this.#readPostmaster();
    return postmaster === undefined ? [] : [postmaster, ...listChildren(postmaster)];
  }

  /** `kill -9` of all processes of PostgreSQL; Patroni starts it again. */
  killPostgres(): void {
    const postmaster = this.#readPostmaster();
    if (postmaster !== undefined) killTree(postmaster);
  }

  /** `kill -9` of Patroni and PostgreSQL, as the loss of the machine. */
  killMachine(): void {
    // Patroni first, so that it starts nothing.
    if (this.#patroni?.isRunning) killTree(this.#patroni.pid);
    this.killPostgres();
  }

  /** Stops all processes of the machine. @returns a function that continues them */
  pauseMachine(): () => void {
    const patroni = this.#patroni?.isRunning ? freezeTree(this.#patroni.pid) : [];
    const postmaster = this.#readPostmaster();
    const postgres = postmaster === undefined ? [] : freezeTree(postmaster);
    return () => signalProcesses([...postgres, ...patroni], 'SIGCONT');
  }

  /** The process that receives the WAL of the primary. */
  findWalReceivers(): readonly number[] {
    return this.listPostgres().filter((pid) => readCommandLine(pid).includes('walreceiver'));
  }

  /** Fills the disk. @returns a function that frees it again */
  fillDisk(): () => void {
    const file = path.join(this.#disk, 'filler');
    const descriptor = openSync(file, 'w');
    try {
      // Smaller and smaller blocks, until not one byte fits.
      for (const size of [1_048_576, 4096, 1]) {
        const block = Buffer.alloc(size);
        for (;;) {
          try {
            if (writeSync(descriptor, block) === 0) break;
          } catch {
            break;
          }
        }
      }
    } finally {
      closeSync(descriptor);
    }
    return () => rmSync(file, { force: true });
  }

  /** Runs statements as the superuser. */
  async query<Row extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.postgresPort,
      user: 'postgres',
      database,
      connectionTimeoutMillis: 2_000,
      query_timeout: 5_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Kills everything and frees the disk. */
  async remove(): Promise<void> {
    this.killMachine();
    await this.#patroni?.ended;
    // What a killed PostgreSQL started may end a little later.
    if (this.hasOwnDisk) spawnSync('umount', ['--lazy', this.#disk]);
  }

  get #dataFolder(): string {
    return path.join(this.#disk, 'data');
  }

  get #configFile(): string {
    return path.join(this.#options.folder, `${this.name}.json`);
  }

  /** The id in the file of a killed PostgreSQL may belong to another process now. */
  #readPostmaster(): number | undefined {
    try {
      const pid = Number(readFileSync(path.join(this.#dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
      return readCommandLine(pid).includes(this.#dataFolder) ? pid : undefined;
    } catch {
      return undefined;
    }
  }
}

/** JSON is YAML. See "Dynamic Configuration" and "YAML Configuration" in the documentation of Patroni. */
function createConfig(options: MemberOptions, dataFolder: string): object {
  const { name, programs, postgresPort, restPort, etcdHosts } = options;
  return {
    scope: 'iam',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // Not `etcd3`: before version 3.0.3, Patroni overwrites the key of another leader there after a pause.
    etcd: { hosts: etcdHosts },
    log: { level: 'INFO' },
    bootstrap: {
      dcs: {
        ttl: 10,
        loop_wait: 2,
        retry_timeout: 3,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true },
      },
      initdb: ['no-sync', { encoding: 'UTF8' }, { locale: 'C' }, { 'wal-segsize': '1' }],
    },
    postgresql: {
      listen: `127.0.0.1:${postgresPort}`,
      connect_address: `127.0.0.1:${postgresPort}`,
      data_dir: dataFolder,
      bin_dir: programs.postgresFolder,
      use_unix_socket: false,
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      basebackup: [{ checkpoint: 'fast' }, 'no-sync'],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      parameters: {
        synchronous_commit: options.synchronousCommit,
        wal_log_hints: 'on',
        // A standby that lost its primary asks for it again after this time; commits wait for it.
        wal_retrieve_retry_interval: '1s',
        max_connections: 60,
        shared_buffers: '32MB',
        min_wal_size: '8MB',
        max_wal_size: '64MB',
        dynamic_shared_memory_type: 'mmap',
        unix_socket_directories: '',
        jit: 'off',
      },
    },
  };
}
