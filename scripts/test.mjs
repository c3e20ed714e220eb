/**
 * `npm test`: builds, then runs all tests, with lint and types beside them. The first failure of those stops the tests.
 * Arguments after `--` go to vitest: `npm test -- test/contract`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { buildAll, isAllBuilt } from './build-steps.mjs';
import { ensureAllInstalled } from './install.mjs';
import { root } from './root.mjs';

const tsc = 'typescript-7/bin/tsc';
/** Each further checker of the compiler checks what it needs of the other files once more: one takes half the processor time of four. */
const oneChecker = ['--checkers', '1'];

/** What has not changed since the last run is not checked again. */
const incremental = (name) => ['--incremental', '--tsBuildInfoFile', `node_modules/.cache/iam-types/${name}.json`];

/** They run one after the other, so that one core is left for the tests. */
const staticSteps = [
  ['Lint and format', '@biomejs/biome/bin/biome', 'check', '.'],
  ['Types of the sources and tests', tsc, '-p', 'tsconfig.test.json', ...oneChecker, ...incremental('tests')],
  ['Types of the console', tsc, '-p', 'packages/console/tsconfig.json', ...oneChecker, ...incremental('console')],
];

async function tryBuild() {
  try {
    if (!isAllBuilt()) await buildAll();
    return true;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

/** Runs a tool of node_modules. @returns whether it succeeded, and what it printed */
function run(script, ...args) {
  const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ passed: code === 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** @returns the first step that failed, with its output; undefined if none did */
async function runStaticSteps(isCancelled) {
  for (const [title, ...command] of staticSteps) {
    if (isCancelled()) return undefined;
    const { passed, output } = await run(...command);
    if (!passed) return { title, output };
    process.stdout.write(`== ${title}: passed\n`);
  }
  return undefined;
}

/** Counts the tests of a run, and gives access to the run. */
class Counter {
  vitest;
  passed = 0;
  failed = 0;

  onInit(vitest) {
    this.vitest = vitest;
  }

  /** A file that cannot be loaded and an error outside of all tests count as failures. */
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state);
    this.passed += tests.filter((state) => state === 'passed').length;
    const broken = modules.filter((module) => module.errors().length > 0);
    this.failed += tests.filter((state) => state === 'failed').length + broken.length + errors.length;
  }
}

/** @param words of the command line of vitest. @returns when the run has ended and what it started is stopped */
async function runVitest(counter, ...words) {
  try {
    const { parseCLI, startVitest } = await import('vitest/node');
    const { filter, options } = parseCLI(['vitest', 'run', ...words]);
    await startVitest('test', filter, { ...options, reporters: ['default', counter] });
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    counter.failed += 1;
  }
}

/** Runs the tests beside the static steps. A full run then verifies that the tests have covered all documented statuses. */
async function check(args, counter) {
  let isOver = false;
  const steps = runStaticSteps(() => isOver).then(async (failure) => {
    if (failure !== undefined) await counter.vitest?.cancelCurrentRun('test-failure');
    return failure;
  });
  await runVitest(counter, ...args);
  isOver = counter.failed > 0;
  const failure = await steps;
  if (failure !== undefined) {
    process.stdout.write(`\n${failure.output}\n== ${failure.title} failed; the tests were stopped\n`);
    counter.failed += 1;
  }
  if (counter.failed > 0 || args.length > 0) return;
  process.stdout.write('\n== Documented statuses\n');
  await runVitest(counter, '--project', 'statuses');
}

async function main(args) {
  const counter = new Counter();
  if (!(await ensureAllInstalled()) || !(await tryBuild())) return { ...counter, failed: 1 };
  const statuses = mkdtempSync(path.join(os.tmpdir(), 'iam-statuses-'));
  process.env.IAM_TEST_STATUSES = statuses;
  try {
    await check(args, counter);
  } finally {
    rmSync(statuses, { recursive: true, force: true });
  }
  return counter;
}

const startedAt = performance.now();
const { passed, failed } = await main(process.argv.slice(2));
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
process.stdout.write(`\nTook ${seconds} s\n${passed} passed, ${failed} failed\n`, () => {
  // Without waiting for anything that a test left behind.
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
});
