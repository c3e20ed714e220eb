/**
 * `npm test`: runs all checks, the cheapest first, and stops at the first failure. Arguments after `--` go to vitest:
 * `npm test -- test/contract`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { buildAll } from './build-steps.mjs';
import { ensureInstalled } from './install.mjs';
import { root } from './root.mjs';

/** Runs a tool of node_modules. @returns whether it succeeded. */
function run(script, ...args) {
  return runWith({}, script, ...args);
}

/** Each further checker of the compiler checks what it needs of the other files once more: one takes half the processor time of four. */
function checkTypes(project) {
  return run('typescript/bin/tsc', '-p', project, '--checkers', '1');
}

function runWith(variables, script, ...args) {
  const { status } = spawnSync(process.execPath, [path.join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  return status === 0;
}

async function tryBuild() {
  try {
    await buildAll();
    return true;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

/**
 * Runs the tests and counts them from the JSON report. A full run then verifies that the tests have covered all
 * documented statuses.
 */
function runTests(args) {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'iam-test-'));
  const report = path.join(directory, 'report.json');
  const statuses = path.join(directory, 'statuses');
  mkdirSync(statuses);
  const variables = { IAM_TEST_STATUSES: statuses };
  try {
    const passed = runWith(
      variables,
      'vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${report}`,
      ...args,
    );
    if (!passed || args.length > 0) return { passed, summary: summaryOf(report) };
    process.stdout.write('\n== Documented statuses\n');
    const complete = runWith(variables, 'vitest/vitest.mjs', 'run', '--config', 'vitest.statuses.config.ts');
    return { passed: complete, summary: summaryOf(report, complete ? 0 : 1) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the summary line; a test file that cannot be loaded counts as a failure. */
function summaryOf(report, failedAfter = 0) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    );
    return `${numPassedTests} passed, ${numFailedTests + broken.length + failedAfter} failed`;
  } catch {
    return '0 passed, 1 failed';
  }
}

const steps = [
  ['Build', tryBuild],
  ['Lint and format', () => run('@biomejs/biome/bin/biome', 'check', '.')],
  ['Types of the sources and tests', () => checkTypes('tsconfig.test.json')],
  ['Types of the console', () => checkTypes('packages/console/tsconfig.json')],
];

/** @returns the last line: the numbers of passed and failed tests. */
async function main(args) {
  if (!ensureInstalled()) {
    process.exitCode = 1;
    return '0 passed, 1 failed';
  }
  for (const [title, step] of steps) {
    process.stdout.write(`\n== ${title}\n`);
    if (await step()) continue;
    process.stdout.write(`\n== ${title} failed; the remaining steps were skipped\n`);
    process.exitCode = 1;
    return '0 passed, 1 failed';
  }
  process.stdout.write('\n== Tests\n');
  const { passed, summary } = runTests(args);
  if (!passed) process.exitCode = 1;
  return summary;
}

const startedAt = performance.now();
process.exitCode = 0;
const summary = await main(process.argv.slice(2));
process.stdout.write(`\nTook ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n${summary}\n`);
