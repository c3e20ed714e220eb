/**
 * `npm start`: installs and builds if needed, then serves in this process, so that signals and the exit code are those
 * of the server. The flags are those of `iam serve`: `npm start -- --port 0 --json`.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { build, isBuilt, root } from './build.mjs';
import { FlagError, helpText, readFlags, swallowedFlags } from './flags.mjs';
import { ensureInstalled } from './install.mjs';
import { watchParents } from './watch-parent.mjs';

const usageExit = 2;

function load(file) {
  return import(pathToFileURL(path.join(root, 'dist', file)).href);
}

async function ensureBuilt() {
  if (isBuilt()) return true;
  process.stderr.write('Building ...\n');
  try {
    await build();
    return true;
  } catch (error) {
    process.stderr.write(`error: the build failed: ${error.message}\n`);
    return false;
  }
}

/** @returns the exit code. */
async function main(args) {
  if (!ensureInstalled() || !(await ensureBuilt())) return 1;
  const { manifest } = await load('contract/manifest.js');
  if (args.includes('--help')) {
    process.stdout.write(helpText(manifest.settings));
    return 0;
  }
  const flags = readFlags(args, manifest.settings);
  for (const name of swallowedFlags(flags, manifest.settings, process.env))
    process.stderr.write(`note: npm consumed --${name}; use npm start -- --${name}\n`);
  const { serve } = createRequire(import.meta.url)('../dist/server/main.cjs');
  // `serve` handles the signal; until it does, each further check emits it again.
  watchParents(() => process.emit('SIGTERM'));
  const { stdout, stderr, env: environment } = process;
  return serve({ flags, io: { stdout, stderr }, environment, saveProfile });
}

async function saveProfile(profile) {
  const { saveLocalProfile } = await load('cli/config/profile.js');
  return saveLocalProfile(profile, process.env);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof FlagError)) throw error;
  process.stderr.write(`error: ${error.message}; list the options with npm start -- --help\n`);
  process.exitCode = usageExit;
}
