/**
 * `npm run test:full [-- STAGE...]`: everything that can be tested, at effort 10, or the named stages only. It names what
 * this machine cannot run, which is no failure.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { root } from './root.mjs';

const build = ['scripts/build.mjs', '--if-needed'];
const vitest = (...projects) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...projects.flatMap((project) => ['--project', project]),
];

const succeeds = (...words) => spawnSync(words[0], words.slice(1), { stdio: 'ignore', shell: false }).status === 0;
const onLinux = () => (process.platform === 'linux' ? undefined : 'npm has packages of Node for Linux only');

/** Returns what runs the image, or why nothing does. */
function findContainerCheck() {
  const { IAM_TEST_CONTAINER_ROOT: folder } = process.env;
  if (succeeds('docker', 'info')) return { commands: [['scripts/container-docker.mjs']] };
  if (folder !== undefined) return { commands: [['scripts/container-check.mjs', folder]] };
  return { missing: 'no Docker engine, and IAM_TEST_CONTAINER_ROOT names no root file system' };
}

/** By name: the programs of Node that run in turn, their variables, and why this machine cannot run them. */
const stages = {
  // The scenarios run the installed package; in the process of the tests `npm test` runs them.
  tests: () => ({ commands: [['scripts/test.mjs']], variables: { IAM_TEST_COMMAND: 'package' } }),
  postgres: () => ({ commands: [build, vitest('postgres', 'postgres-processes')] }),
  twice: () => ({ commands: [vitest('twice')] }),
  executable: () => ({ commands: [['scripts/test-executable.mjs']], missing: onLinux() }),
  container: findContainerCheck,
  'relying-parties': () => ({
    commands: [['scripts/install-folder.mjs', 'test/relying-parties'], vitest('relying-parties')],
  }),
  runners: () => ({ commands: [['scripts/test-runners.mjs']] }),
  nodes: () => ({
    commands: [['scripts/test-nodes.mjs', '--majors', '22,24,26']],
    variables: { IAM_TEST_EFFORT: '1' },
    missing: onLinux(),
  }),
};

/** @returns the line of the summary, and whether the stage failed */
function runStage(name) {
  const { commands, variables = {}, missing } = stages[name]();
  if (missing !== undefined) return { failed: false, line: `${name}: not run here: ${missing}` };
  process.stdout.write(`\n=== ${name}\n`);
  const env = { IAM_TEST_EFFORT: '10', IAM_TEST_CONSOLE: 'required', ...process.env, ...variables };
  const failed = commands.some(
    (command) => spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit', env }).status !== 0,
  );
  return { failed, line: `${name}: ${failed ? 'failed' : 'passed'}` };
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(stages);
const unknown = names.filter((name) => !Object.hasOwn(stages, name));
if (unknown.length > 0) {
  process.stderr.write(`error: no stage ${unknown.join(', ')}; there are ${Object.keys(stages).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const results = names.map(runStage);
  process.stdout.write(`\n${results.map(({ line }) => line).join('\n')}\n`);
  process.exitCode = results.some(({ failed }) => failed) ? 1 : 0;
}
