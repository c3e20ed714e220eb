/** Finds Patroni, etcd, HAProxy and PostgreSQL: installed, or unpacked from Debian's packages into a folder. */
import { accessSync, constants, readdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

export interface FailoverPrograms {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  /** The folder of `initdb`, `postgres` and `pg_rewind`. */
  readonly postgresFolder: string;
  /** Where Patroni finds its Python packages, if it is not installed. */
  readonly pythonPath: string | undefined;
}

/** A folder into which the packages were unpacked with `dpkg -x`. */
const unpackedVariable = 'IAM_STRESS_PACKAGES';
const postgresRoot = '/usr/lib/postgresql';

/** @returns the programs, or one line that says what is missing and how to install it */
export function findFailoverPrograms(environment: Readonly<Record<string, string | undefined>>) {
  const { [unpackedVariable]: unpacked = '', PATH = '' } = environment;
  if (process.platform !== 'linux') return 'Patroni is used on Linux only';
  const folders = [...(unpacked === '' ? [] : [path.join(unpacked, 'usr/bin'), path.join(unpacked, 'usr/sbin')])];
  const searched = [...folders, ...PATH.split(':'), '/usr/bin', '/usr/sbin'];
  const find = (name: string) => searched.map((folder) => path.join(folder, name)).find(isExecutable);
  const [patroni, etcd, haproxy] = [find('patroni'), find('etcd'), find('haproxy')];
  const postgresFolder = findPostgresFolder(unpacked);
  if (!patroni || !etcd || !haproxy || !postgresFolder) {
    const found = { patroni, 'etcd-server': etcd, haproxy, postgresql: postgresFolder };
    const missing = Object.entries(found).flatMap(([name, where]) => (where === undefined ? [name] : []));
    return (
      `not found: ${missing.join(', ')}. Install these packages of Debian 12,` +
      ` or unpack them with dpkg -x and set ${unpackedVariable} to the folder`
    );
  }
  const pythonPath = patroni.startsWith(`${unpacked}/`)
    ? path.join(unpacked, 'usr/lib/python3/dist-packages')
    : undefined;
  return { patroni, etcd, haproxy, postgresFolder, pythonPath };
}

function findPostgresFolder(unpacked: string): string | undefined {
  for (const root of [path.join(unpacked, postgresRoot), postgresRoot]) {
    const newest = listFolder(root).sort((one, other) => Number(other) - Number(one))[0];
    const folder = newest === undefined ? undefined : path.join(root, newest, 'bin');
    if (folder !== undefined && isExecutable(path.join(folder, 'pg_rewind'))) return folder;
  }
  return undefined;
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
