/**
 * `npm run test:nodes [-- --majors 22,24] [FILE...]`: runs the tests on each supported version of Node, from npm's packages
 * of Node for Linux. Other arguments go to vitest; without them it is the whole suite. Scenarios run the built command.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { installNode } from './node-versions.mjs';
import { root } from './root.mjs';

const supportedMajors = '20,22,24,26';

function run(command, args, options) {
  return spawnSync(command, args, { stdio: 'inherit', ...options }).status === 0;
}

/** Runs the tests on a version. @returns its line of the summary, and whether all passed */
function testOn(major, work, args) {
  const node = installNode(major, work);
  if (node === undefined) return { passed: false, line: `Node ${major}: not installed` };
  const programs = path.dirname(node);
  const env = { ...process.env, IAM_TEST_COMMAND: 'built', PATH: `${programs}${path.delimiter}${process.env.PATH}` };
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  process.stdout.write(`\n== Node ${version}\n`);
  const passed = run(node, ['node_modules/vitest/vitest.mjs', 'run', ...args], { cwd: root, env });
  return { passed, line: `Node ${version}: ${passed ? 'passed' : 'failed'}` };
}

const { values, positionals } = parseArgs({
  options: { majors: { type: 'string', default: supportedMajors } },
  allowPositionals: true,
});
if (process.platform === 'linux') {
  const work = mkdtempSync(path.join(os.tmpdir(), 'iam-nodes-'));
  try {
    const isBuilt = run(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: root });
    const majors = isBuilt ? values.majors.split(',') : [];
    const results = majors.map((major) => testOn(major, work, positionals));
    process.stdout.write(`\n${results.map(({ line }) => line).join('\n')}\n`);
    process.exitCode = isBuilt && results.every(({ passed }) => passed) ? 0 : 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
} else {
  process.stderr.write('error: npm has these packages of Node for Linux only; install the versions another way\n');
  process.exitCode = 2;
}
