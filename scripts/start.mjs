/**
 * `npm start`: installs and builds if needed, then runs `iam serve` in this process, so that signals and the exit code
 * are those of the server. The flags are those of `iam serve`: `npm start -- --port 0 --json`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { isRuntimeBuilt } from './build-steps.mjs';
import { ensureRuntimeInstalled } from './install.mjs';
import { findConsumedFlags } from './npm-flags.mjs';
import { root } from './root.mjs';
import { endWith, runChild } from './run-child.mjs';
import { watchParents } from './watch-parent.mjs';

let isServing = false;

/** Until the server handles the signal, each further check emits it again. Before, a handled signal goes to a child. */
function stop() {
  if (!isServing && process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
  else process.emit('SIGTERM', 'SIGTERM');
}

/** Builds in a process of its own: the builder would stay in the memory of the server. */
async function ensureBuilt() {
  if (isRuntimeBuilt()) return true;
  process.stderr.write('Building ...\n');
  const { code, signal } = await runChild(process.execPath, [path.join(root, 'scripts/build.mjs'), '--runtime']);
  if (signal !== undefined) endWith(signal);
  return code === 0;
}

function serve(args) {
  const { settings } = JSON.parse(readFileSync(path.join(root, 'src/contract/server.json'), 'utf8'));
  for (const name of findConsumedFlags(args, settings, process.env))
    process.stderr.write(`note: npm consumed --${name}; use npm start -- --${name}\n`);
  isServing = true;
  process.argv.splice(1, 1, path.join(root, 'bin/iam.js'), 'serve');
  createRequire(import.meta.url)('../bin/iam.js');
}

watchParents(stop);
if ((await ensureRuntimeInstalled()) && (await ensureBuilt())) serve(process.argv.slice(2));
else process.exitCode = 1;
