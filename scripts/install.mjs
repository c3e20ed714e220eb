/** Checks Node and installs the packages when they are missing or older than the lock file. Needs nothing but Node. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './build.mjs';

const oldestNode = [20, 19];

/** What is wrong with this Node, in words; undefined where it will do. */
export function findNodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = oldestNode;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Node ${oldestNode.join('.')} or newer is needed, this is ${version}; see https://nodejs.org`;
}

/** Whether node_modules holds what package.json names, and is not older than the lock file. */
export function isInstalled(directory = root) {
  const installed = path.join(directory, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  if (statSync(path.join(directory, 'package-lock.json')).mtimeMs > statSync(installed).mtimeMs) return false;
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.every((name) => existsSync(path.join(directory, 'node_modules', name)));
}

/** The npm that runs this script, else the one on the path. */
function npmCommand() {
  const running = process.env.npm_execpath ?? '';
  if (/npm-cli\.c?js$/.test(running) && existsSync(running))
    return { command: process.execPath, first: [running], shell: false };
  return { command: 'npm', first: [], shell: process.platform === 'win32' };
}

/**
 * Makes the packages ready. Installing talks to standard error alone, and takes in what building needs also where
 * NODE_ENV=production would leave it out.
 * @returns false where it can't, after a line that says why.
 */
export function ensureInstalled() {
  const problem = findNodeProblem(process.versions.node);
  if (problem) return complain(problem);
  if (isInstalled()) return true;
  process.stderr.write('Installing packages (npm ci) ...\n');
  const { command, first, shell } = npmCommand();
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const { status, error } = spawnSync(command, [...first, ...flags], { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (error) return complain(`npm can't be run: ${error.message}`);
  return status === 0 || complain(`npm ci failed with exit code ${status}; its reason stands above`);
}

function complain(reason) {
  process.stderr.write(`error: ${reason}\n`);
  return false;
}
