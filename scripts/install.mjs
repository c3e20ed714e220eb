/** Checks the version of Node, and installs packages that are missing or older than the lock file. Needs only Node. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { withProjectLock } from './project-lock.mjs';
import { root } from './root.mjs';
import { endWith, runChild } from './run-child.mjs';

const minNode = [20, 19];

/** Returns why this version of Node is unsupported; undefined if it is supported. */
export function findNodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  const [minMajor, minMinor] = minNode;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return undefined;
  return `Node ${minNode.join('.')} or newer is required, found ${version}; see https://nodejs.org`;
}

const readManifest = (directory) => JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));

/** The workspaces: what the project needs to build and serve, and what checks, tests and releases need. */
const consoleWorkspace = 'packages/console';
const testWorkspace = 'test';

/** What npm writes at the end of an installation. */
const installedList = 'node_modules/.package-lock.json';

/** Whether node_modules contains all packages of the project and of these workspaces, and is not older than the lock file. */
export function isInstalled(directory, workspaces = readManifest(directory).workspaces ?? []) {
  const installed = path.join(directory, installedList);
  if (!existsSync(installed)) return false;
  if (statSync(path.join(directory, 'package-lock.json')).mtimeMs > statSync(installed).mtimeMs) return false;
  return ['', ...workspaces].every((workspace) => hasPackages(directory, workspace));
}

/** npm installs the packages of a workspace in the project's folder, or in its own if the project has another version. */
function hasPackages(directory, workspace) {
  const { dependencies, devDependencies } = readManifest(path.join(directory, workspace));
  return Object.keys({ ...dependencies, ...devDependencies }).every((name) =>
    [workspace, ''].some((folder) => existsSync(path.join(directory, folder, 'node_modules', name))),
  );
}

/** Returns the npm that runs this script, or else the one on the PATH. */
function npmCommand() {
  const running = process.env.npm_execpath ?? '';
  if (/npm-cli\.c?js$/.test(running) && existsSync(running))
    return { command: process.execPath, first: [running], shell: false };
  return { command: 'npm', first: [], shell: process.platform === 'win32' };
}

/**
 * Installs what builds and serves, if needed. Writes to standard error only, as the functions below.
 * @returns {Promise<boolean>} false after printing the reason if it fails.
 */
export function ensureRuntimeInstalled() {
  // Where the packages of the tests are installed, all are updated: this `npm ci` would delete those of the tests.
  if (isLinked(testWorkspace)) return ensureAllInstalled();
  const npmArguments = ['ci', '--include-workspace-root', '--workspace', consoleWorkspace];
  return ensureInstalled(root, [consoleWorkspace], () => npmArguments);
}

/**
 * Installs all packages, if needed. It adds them to those that are installed, because `npm ci` would delete what a running
 * server uses; without --save, so that the lock file stays as it is.
 */
export function ensureAllInstalled() {
  const isPartlyInstalled = () => existsSync(path.join(root, installedList));
  return ensureInstalled(root, undefined, () => (isPartlyInstalled() ? ['install', '--no-save'] : ['ci']));
}

/** npm links a workspace whose packages it has installed. */
function isLinked(workspace) {
  return existsSync(path.join(root, 'node_modules', readManifest(path.join(root, workspace)).name));
}

/** Installs the packages of a folder that is not a workspace of the project, if needed. */
export function ensureFolderInstalled(directory) {
  return ensureInstalled(directory, undefined, () => ['ci', '--no-workspaces', '--ignore-scripts']);
}

/** @param npmArguments what npm is called with, as the packages are when no other process installs them */
async function ensureInstalled(directory, workspaces, npmArguments) {
  const problem = findNodeProblem(process.versions.node);
  if (problem !== undefined) return complain(problem);
  if (isInstalled(directory, workspaces)) return true;
  const { message, signal } = await withProjectLock((addHolder) =>
    isInstalled(directory, workspaces) ? {} : runNpm(directory, npmArguments(), addHolder),
  );
  if (signal !== undefined) endWith(signal);
  return message === undefined || complain(message);
}

/**
 * Runs npm with devDependencies, which the build needs, also with NODE_ENV=production.
 * @returns why it failed, and the signal that ended it
 */
async function runNpm(directory, args, addHolder) {
  const shown = `npm ${args.join(' ')}`;
  process.stderr.write(`Installing packages (${shown}) ...\n`);
  const { command, first, shell } = npmCommand();
  const flags = ['--include=dev', '--no-audit', '--no-fund'];
  try {
    const { code, signal, isKilled } = await runChild(command, [...first, ...args, ...flags], {
      cwd: directory,
      shell,
      // npm can outlive this process, if that is killed.
      onStart: addHolder,
      onSignal: () => process.stderr.write('Waiting until npm has ended; Ctrl-C once more ends it at once ...\n'),
    });
    // What a killed npm has left behind is not complete.
    if (isKilled) rmSync(path.join(directory, installedList), { force: true });
    return { signal, message: code === 0 ? undefined : `${shown} failed with exit code ${code}; see its output above` };
  } catch (error) {
    return { message: `npm cannot be run: ${error.message}` };
  }
}

function complain(reason) {
  process.stderr.write(`error: ${reason}\n`);
  return false;
}
