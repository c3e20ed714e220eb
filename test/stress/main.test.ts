/** Output and exit codes of `npm run stress`; needs dist/ (npm run build). */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isFullRun } from '../effort.ts';
import { root } from './paths.ts';

/** As `npm run stress` does, which tests the built command, not the one of IAM_TEST_COMMAND. */
function runStress(...args: string[]) {
  const { IAM_TEST_COMMAND: _, ...env } = process.env;
  return spawnSync(process.execPath, [path.join(root, 'dist/stress/main.js'), ...args], { encoding: 'utf8', env });
}

test('prints the seed and one line per suite, and exits with 0 without findings', () => {
  const { status, stdout } = runStress('--only', 'replays', '--seed', '7', '--count', '5');
  const [first, second, last] = stdout.split('\n');
  expect(first).toMatch(/^seed 7, Node v/);
  expect(second).toMatch(/^replays +ok +[\d.]+ s {2}\d+ of \d+ positions$/);
  expect(last).toBe('nothing found');
  expect(status).toBe(0);
});

test.runIf(isFullRun)('exits with 1 and prints the command that reproduces a finding', () => {
  const { status, stdout } = runStress('--only', 'simulator', '--seed', '1', '--count', '1', '--bug', 'skip-datasync');
  expect(stdout).toContain('reproduce: npm run stress -- --only simulator --seed 1 --count 1 --bug skip-datasync');
  expect(status).toBe(1);
});

// Each process loads all suites, which takes most of its time.
test.runIf(isFullRun)('exits with 2 and prints the usage for an unknown suite', () => {
  const { status, stderr } = runStress('--only', 'nothing');
  expect(stderr).toContain('unknown suite: nothing');
  expect(stderr).toContain('usage: npm run stress');
  expect(status).toBe(2);
});
