#!/usr/bin/env node
// CommonJS, as the package.json beside it says: Node starts sooner without its loader of ES modules.
const { existsSync, mkdirSync, statSync } = require('node:fs');
const nodeModule = require('node:module');
const path = require('node:path');

/**
 * Turns on Node's cache of compiled code (22.8 and newer). Its default folder is shared by all users, who could replace the
 * code there, so it is in a folder that only this user can write.
 */
function enableCompileCache() {
  const { XDG_CACHE_HOME: cache, HOME: home } = process.env;
  const base = cache && path.isAbsolute(cache) ? cache : home && path.join(home, '.cache');
  if (!base || !nodeModule.enableCompileCache || !process.getuid) return;
  try {
    const folder = path.join(base, 'iam', 'compiled');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    if (uid === process.getuid() && (mode & 0o022) === 0) nodeModule.enableCompileCache(folder);
  } catch {
    // The command works without the cache.
  }
}

/** Returns why the command cannot run, with the next step; undefined if it can. */
function findProblem(main) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) return `Node 20.19 or newer is required, found ${process.version}`;
  if (existsSync(main)) return undefined;
  const folder = path.dirname(__dirname);
  return existsSync(path.join(folder, 'src'))
    ? `iam is not built yet. Run in ${folder}: npm start`
    : 'the files of iam are incomplete. Install iam-standin again';
}

// Also the exit code of an uncaught exception: 1 is a result, as of `iam diff`.
process.exitCode = 70;
const main = path.join(__dirname, '../dist/cli.cjs');
const problem = findProblem(main);
if (problem === undefined) {
  enableCompileCache();
  require(main);
} else {
  process.stderr.write(`error: ${problem}\n`);
}
