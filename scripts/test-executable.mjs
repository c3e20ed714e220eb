/**
 * `npm run test:executable [-- --node FILE]`: makes an executable, prints the time of its first run and runs the end-to-end
 * tests with it. Without `--node`, on Linux, it contains the Node of npm's package.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { installNode } from './node-versions.mjs';
import { root } from './root.mjs';

/** The Node of released executables: 26 needs libatomic, which minimal systems do not have. */
const major = 24;
const rounds = 5;

const run = (args, options) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', ...options }).status === 0;

/** Milliseconds of `iam --version` with an empty cache. */
function measureFirstRun(executable, work) {
  const cache = mkdtempSync(path.join(work, 'cache-'));
  const startedAt = performance.now();
  execFileSync(executable, ['--version'], { env: { ...process.env, XDG_CACHE_HOME: cache } });
  return performance.now() - startedAt;
}

function testExecutable(node, work) {
  const executable = path.join(work, process.platform === 'win32' ? 'iam.exe' : 'iam');
  if (!run(['scripts/build.mjs', '--if-needed'])) return false;
  if (!run(['scripts/executable-main.mjs', '--node', node, '--out', executable])) return false;
  const times = Array.from({ length: rounds }, () => measureFirstRun(executable, work)).sort((a, b) => a - b);
  process.stdout.write(`first run: ${Math.round(times[Math.floor(rounds / 2)])} ms (median of ${rounds})\n`);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'executable'];
  return run(vitest, { env: { ...process.env, IAM_TEST_COMMAND: executable } });
}

const { values } = parseArgs({ options: { node: { type: 'string' } } });
const work = mkdtempSync(path.join(os.tmpdir(), 'iam-executable-test-'));
try {
  const node = values.node ?? (process.platform === 'linux' ? installNode(major, work) : process.execPath);
  process.exitCode = node !== undefined && testExecutable(path.resolve(node), work) ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
