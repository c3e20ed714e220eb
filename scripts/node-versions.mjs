/** Versions of Node from npm, which has a package of each for Linux. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Installs a version of Node below `work`. @returns its program; undefined if it cannot be installed */
export function installNode(major, work) {
  const folder = path.join(work, String(major));
  mkdirSync(folder, { recursive: true });
  const name = `node-linux-${process.arch}`;
  const flags = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  const isInstalled = spawnSync('npm', [...flags, `${name}@${major}`], options).status === 0;
  return isInstalled ? path.join(folder, 'node_modules', name, 'bin/node') : undefined;
}
