/** A PostgreSQL server for tests, in a temporary folder, on a free port of this machine. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { findPrograms } from './programs.ts';

export interface Cluster {
  /** With a user that may do everything. */
  readonly url: string;
  stop(): Promise<void>;
}

/** PostgreSQL does not run as root: then it runs as the user without rights. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Tests need no durability of the machine. */
const fastSettings = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'shared_buffers=64MB'];

/** @param settings of PostgreSQL, `name=value`; they replace those for fast tests */
export async function startCluster(settings: readonly string[] = []): Promise<Cluster> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-postgres-'));
  try {
    return await startIn(folder, settings);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(folder: string, settings: readonly string[]): Promise<Cluster> {
  await chmod(folder, 0o755);
  const bin = await findPrograms(path.join(folder, 'programs'));
  const data = path.join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (owner.uid !== undefined) await chown(data, owner.uid, owner.gid);
  const env = { LANG: 'C', LC_ALL: 'C', PATH: process.env.PATH };
  const run = { cwd: data, env, ...owner };
  const options = ['-D', data, '-U', 'iam', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(path.join(bin, 'initdb'), options, run);
  const port = await findFreePort();
  const given = [
    ...fastSettings,
    ...settings,
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
  ];
  const control = (...more: readonly string[]) =>
    promisify(execFile)(path.join(bin, 'pg_ctl'), ['-D', data, ...more], run);
  const log = path.join(data, 'server.log');
  await control('start', '-w', '-l', log, '-o', given.map((one) => `-c ${one}`).join(' '));
  return {
    url: `postgres://iam@127.0.0.1:${port}/postgres`,
    async stop() {
      // Does not wait for clients, and writes no checkpoint.
      await control('stop', '-m', 'immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
