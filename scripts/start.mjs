/**
 * `npm start`: installs and builds if needed, then runs `iam serve` in this process, so that signals and the exit code
 * are those of the server. The flags are those of `iam serve`: `npm start -- --port 0 --json`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { buildRuntime, isRuntimeBuilt } from './build-steps.mjs';
import { ensureRuntimeInstalled } from './install.mjs';
import { findConsumedFlags } from './npm-flags.mjs';
import { root } from './root.mjs';
import { watchParents } from './watch-parent.mjs';

async function ensureBuilt() {
  if (isRuntimeBuilt()) return true;
  process.stderr.write('Building ...\n');
  try {
    await buildRuntime();
    return true;
  } catch (error) {
    process.stderr.write(`error: the build failed: ${error.message}\n`);
    return false;
  }
}

function serve(args) {
  const { settings } = JSON.parse(readFileSync(path.join(root, 'src/contract/server.json'), 'utf8'));
  for (const name of findConsumedFlags(args, settings, process.env))
    process.stderr.write(`note: npm consumed --${name}; use npm start -- --${name}\n`);
  // The server handles the signal; until it does, each further check emits it again.
  watchParents(() => process.emit('SIGTERM'));
  process.argv.splice(1, 1, path.join(root, 'bin/iam.js'), 'serve');
  createRequire(import.meta.url)('../bin/iam.js');
}

if ((await ensureRuntimeInstalled()) && (await ensureBuilt())) serve(process.argv.slice(2));
else process.exitCode = 1;
