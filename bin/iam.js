#!/usr/bin/env node
// CommonJS, as the package.json beside it says: Node starts sooner without its loader of ES modules.
const { existsSync, mkdirSync, statSync } = require('node:fs');
const nodeModule = require('node:module');
const path = require('node:path');

const root = path.dirname(__dirname);

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
  return isClone() ? `iam is not built yet. Run in ${root}: npm start` : findIncompleteness();
}

/** A clone builds only what its commands need. */
const isClone = () => existsSync(path.join(root, 'src'));

/** Returns what an installed package lacks of the files and folders that its package.json names; undefined if nothing. */
function findIncompleteness() {
  const { files, exports, man } = require('../package.json');
  const listed = listStrings([files, exports, man]).filter((file) => !file.includes('*'));
  const missing = new Set(listed.map(findMissingPath).filter((file) => file !== undefined));
  if (missing.size === 0) return undefined;
  return `this installation lacks ${[...missing].join(', ')}. Install a package that \`npm run pack\` made`;
}

const listStrings = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(listStrings));

/** Returns the missing file, or the outermost of its folders that is missing. */
function findMissingPath(file) {
  const parts = path.normalize(file).split(path.sep);
  const paths = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  return paths.find((candidate) => !existsSync(path.join(root, candidate)));
}

// Also the exit code of an uncaught exception: 1 is a result, as of `iam diff`.
process.exitCode = 70;
const main = path.join(__dirname, '../dist/cli.cjs');
const problem = findProblem(main);
if (problem === undefined) {
  enableCompileCache();
  require(main);
  if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2]) && !isClone())
    reportProblem(findIncompleteness());
} else {
  reportProblem(problem);
}

function reportProblem(problem) {
  if (problem === undefined) return;
  process.exitCode = 70;
  process.stderr.write(`error: ${problem}\n`);
}
