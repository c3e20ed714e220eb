/**
 * `npm run test:container -- ROOT`: runs the steps of the Dockerfile without a container engine, then the image's command,
 * health check and stop as a foreign user on a read-only root. ROOT is an unpacked file system of the base image, that is,
 * Debian with Node and npm; it is copied, never changed. Needs Linux, root, `unshare`, `chroot`, `setpriv` and the registry.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseDockerfile } from './dockerfile.mjs';
import { root } from './root.mjs';

const foreignUser = 54_321;
const port = await findFreePort();
const stopLimitMs = 5_000;
const path0 = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function run(command, args, options = {}) {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
}

/** Runs a command in the file system of a stage. */
function runInside(stage, command) {
  const env = { PATH: path0, ...stage.env };
  const inside = `cd ${stage.workdir} && ${command}`;
  run('chroot', [stage.folder, '/bin/sh', '-c', inside], { env });
}

/** Copies what git tracks: the ignore file of the image leaves out more. */
function copyContext(target) {
  mkdirSync(target, { recursive: true });
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n');
  const included = ignored.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  for (const file of listed.toString('utf8').split('\0').filter(Boolean))
    if (included.some((name) => file === name || file.startsWith(`${name}/`)))
      if (existsSync(path.join(root, file)))
        cpSync(path.join(root, file), path.join(target, file), { recursive: true });
}

function copyStep(stage, { args, from }, { context, stages }) {
  const [target, ...sources] = args.toReversed();
  const base = from === undefined ? context : stages.get(from).folder;
  const destination = path.join(stage.folder, path.posix.resolve(stage.workdir, target));
  mkdirSync(destination, { recursive: true });
  for (const source of sources) {
    const file = path.join(base, source);
    const isFolder = spawnSync('test', ['-d', file]).status === 0;
    run('cp', isFolder ? ['-a', `${file}/.`, destination] : ['-a', file, destination]);
  }
}

const steps = {
  RUN: (stage, { text }) => runInside(stage, text),
  COPY: copyStep,
  WORKDIR(stage, { text }) {
    stage.workdir = path.posix.resolve(stage.workdir, text);
    mkdirSync(path.join(stage.folder, stage.workdir), { recursive: true });
  },
  ENV(stage, { pairs }) {
    Object.assign(stage.env, pairs);
  },
};

/** Builds the stages in folders of `work`. @returns the last one */
function build(instructions, { work, base }) {
  const stages = new Map();
  const context = path.join(work, 'context');
  copyContext(context);
  let stage;
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') {
      stage = { folder: path.join(work, `stage${stages.size}`), workdir: '/', env: {}, settings: {} };
      stages.set(instruction.as ?? String(stages.size), stage);
      run('cp', ['-a', base, stage.folder]);
      continue;
    }
    process.stderr.write(`=== ${instruction.name} ${instruction.text}\n`);
    const step = steps[instruction.name];
    if (step) step(stage, instruction, { context, stages });
    else stage.settings[instruction.name] = instruction;
  }
  return stage;
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The words to run a command of the image as the foreign user. */
function asForeignUser(stage, command) {
  const user = ['--reuid', String(foreignUser), '--regid', String(foreignUser), '--clear-groups', '--no-new-privs'];
  return ['chroot', stage.folder, 'setpriv', ...user, '--bounding-set', '-all', ...command];
}

/** Starts the command in a mount namespace where only /data and /dev can be written. */
function start(stage) {
  const mounts = [
    'set -e',
    `mount --bind "$1" "$1"`,
    `mount --bind "$1/data" "$1/data"`,
    `mount --bind /dev "$1/dev"`,
    `mount -t proc proc "$1/proc"`,
    `mount -o remount,bind,ro "$1"`,
    'shift',
    'exec "$@"',
  ].join('\n');
  const command = [...stage.settings.ENTRYPOINT.args, ...stage.settings.CMD.args];
  const words = ['--mount', 'sh', '-c', mounts, 'sh', stage.folder, ...asForeignUser(stage, command)];
  return spawn('unshare', words, { env: environmentOf(stage), stdio: ['ignore', 'pipe', 'inherit'] });
}

function environmentOf({ env }) {
  // Not the address and port of the image: tests listen on the loopback interface only, and 8080 can be in use.
  return { PATH: path0, ...env, IAM_SERVE_HOST: '127.0.0.1', IAM_SERVE_PORT: String(port) };
}

function checkHealth(stage) {
  const [command, ...args] = asForeignUser(stage, stage.settings.HEALTHCHECK.args);
  return spawnSync(command, args, { env: environmentOf(stage), encoding: 'utf8' });
}

async function waitUntilHealthy(stage, child) {
  for (let attempt = 0; attempt < 60 && child.exitCode === null; attempt += 1) {
    if (checkHealth(stage).status === 0) return;
    await pause(500);
  }
  throw new Error(`the service on port ${port} did not become healthy`);
}

function assertThat(condition, message) {
  if (!condition) throw new Error(message);
  process.stdout.write(`ok: ${message}\n`);
}

/** Runs, checks and stops the image's command. */
async function check(stage) {
  assertThat(checkHealth(stage).status === 1, 'the health check fails without a server');
  const child = start(stage);
  const ended = once(child, 'exit');
  try {
    await waitUntilHealthy(stage, child);
    assertThat(true, `the health check passes for user ${foreignUser} on a read-only root`);
    assertThat(
      readFileSync(`/proc/${child.pid}/status`, 'utf8').includes(`Uid:\t${foreignUser}`),
      'the user is not root',
    );
    const written = spawnSync('nsenter', ['--mount', '--target', String(child.pid), 'touch', `${stage.folder}/app/x`]);
    assertThat(written.status !== 0, 'the root cannot be written, not even by root');
    const [command, ...args] = asForeignUser(stage, ['iam', 'groups', 'list', '-o', 'name']);
    const listed = spawnSync(command, args, { env: environmentOf(stage), encoding: 'utf8' });
    assertThat(listed.stdout.includes('iam-administrators'), '`iam groups list` works inside without further settings');
    const stoppedAt = performance.now();
    child.kill('SIGTERM');
    const [code] = await ended;
    const duration = performance.now() - stoppedAt;
    assertThat(code === 0 && duration < stopLimitMs, `SIGTERM stops it with exit code 0 in ${Math.round(duration)} ms`);
  } finally {
    child.kill('SIGKILL');
  }
}

const [base] = process.argv.slice(2);
if (base === undefined || process.getuid?.() !== 0) {
  process.stderr.write('usage: npm run test:container -- ROOT (as root on Linux)\n');
  process.exitCode = 2;
} else {
  const work = mkdtempSync(path.join(os.tmpdir(), 'iam-container-'));
  try {
    const instructions = parseDockerfile(readFileSync(path.join(root, 'Dockerfile'), 'utf8'));
    await check(build(instructions, { work, base }));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
