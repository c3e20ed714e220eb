/** Checks the version of Node, and installs packages that are missing or older than the lock file. Needs only Node. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './root.mjs';

const minNode = [20, 19];

/** Returns why this version of Node is unsupported; undefined if it is supported. */
export function findNodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  const [minMajor, minMinor] = minNode;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return undefined;
  return `Node ${minNode.join('.')} or newer is required, found ${version}; see https://nodejs.org`;
}

/** Whether node_modules contains all packages of package.json and is not older than the lock file. */
export function isInstalled(directory = root) {
  const installed = path.join(directory, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  if (statSync(path.join(directory, 'package-lock.json')).mtimeMs > statSync(installed).mtimeMs) return false;
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.every((name) => existsSync(path.join(directory, 'node_modules', name)));
}

/** For a folder below the project that is not one of its workspaces. */
const outsideWorkspaces = ['--no-workspaces', '--ignore-scripts'];

/** Returns the npm that runs this script, or else the one on the PATH. */
function npmCommand() {
  const running = process.env.npm_execpath ?? '';
  if (/npm-cli\.c?js$/.test(running) && existsSync(running))
    return { command: process.execPath, first: [running], shell: false };
  return { command: 'npm', first: [], shell: process.platform === 'win32' };
}

/**
 * Installs the packages if needed, including devDependencies, which the build needs, also with NODE_ENV=production.
 * Writes to standard error only.
 * @returns false after printing the reason if it fails.
 */
export function ensureInstalled(directory = root) {
  const problem = findNodeProblem(process.versions.node);
  if (problem) return complain(problem);
  if (isInstalled(directory)) return true;
  process.stderr.write('Installing packages (npm ci) ...\n');
  const { command, first, shell } = npmCommand();
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', ...(directory === root ? [] : outsideWorkspaces)];
  const { status, error } = spawnSync(command, [...first, ...flags], {
    cwd: directory,
    stdio: ['ignore', 2, 2],
    shell,
  });
  if (error) return complain(`npm cannot be run: ${error.message}`);
  return status === 0 || complain(`npm ci failed with exit code ${status}; see its output above`);
}

function complain(reason) {
  process.stderr.write(`error: ${reason}\n`);
  return false;
}
