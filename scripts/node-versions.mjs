/** Programs from npm that are in no lock file: versions of Node, and other run times, each a package for Linux. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Installs a version of Node below `work`. @returns its program; undefined if it cannot be installed */
export function installNode(major, work) {
  const name = `node-linux-${process.arch}`;
  return installProgram({ name, version: String(major), program: 'bin/node' }, path.join(work, String(major)));
}

/** @param program its path in the package. @returns the program; undefined if it cannot be installed */
export function installProgram({ name, version, program }, folder) {
  mkdirSync(folder, { recursive: true });
  const flags = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  const words = [...flags, '--prefix', folder, `${name}@${version}`];
  if (spawnSync('npm', words, options).status !== 0) return undefined;
  const installed = path.join(folder, 'node_modules', name, program);
  chmodSync(installed, 0o755);
  return installed;
}
