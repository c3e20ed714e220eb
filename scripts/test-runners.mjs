/**
 * `npm run test:runners [-- NAME...]`: calls everything public of the built library in test runners, with fake timers that are
 * enabled before its import, before `startServer` and after it, and in their environments; and in other run times, which come
 * from npm's packages for Linux. NAME is a part of the name of a run.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFolderInstalled } from './install.mjs';
import { installProgram } from './node-versions.mjs';
import { root } from './root.mjs';

const runners = path.join(root, 'test/runners');
const kinds = ['import', 'require'];
const moments = ['before', 'between', 'after'];
const pairs = kinds.flatMap((kind) => moments.map((when) => [kind, when]));
/** A run that hangs is ended. */
const timeout = 240_000;

/** A project that uses the built package. */
function createProject(folder) {
  for (const file of ['calls.cjs', 'node-test.cjs', 'vitest-tests.mjs', 'jest-tests.cjs', 'run-time.mjs'])
    cpSync(path.join(runners, file), path.join(folder, file));
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "dependencies": { "iam-standin": "*" } }\n');
  const packages = path.join(folder, 'node_modules');
  mkdirSync(packages);
  symlinkSync(root, path.join(packages, 'iam-standin'));
  symlinkSync(path.join(runners, 'node_modules/vitest'), path.join(packages, 'vitest'));
  for (const [kind, when] of pairs)
    writeFileSync(
      path.join(folder, `${kind}-${when}.test.mjs`),
      `import { testLibrary } from './vitest-tests.mjs';\ntestLibrary('${kind}', '${when}');\n`,
    );
  for (const when of [...moments, 'global'])
    writeFileSync(path.join(folder, `${when}.jest.cjs`), `require('./jest-tests.cjs').testLibrary('${when}');\n`);
}

const vitest = (environment) => [
  path.join(runners, 'node_modules/vitest/vitest.mjs'),
  'run',
  ...['--root', '.', '--environment', environment, '--no-color', '--maxWorkers', '1'],
];

/** With `global`, all timers are fake from the start. */
function jest(environment, isGlobal) {
  const testMatch = isGlobal ? ['**/global.jest.cjs'] : moments.map((when) => `**/${when}.jest.cjs`);
  const config = {
    rootDir: '.',
    testEnvironment: path.join(runners, 'node_modules', `jest-environment-${environment}`),
  };
  const timers = isGlobal ? { fakeTimers: { enableGlobally: true } } : {};
  return [
    path.join(runners, 'node_modules/jest/bin/jest.js'),
    ...['--config', JSON.stringify({ ...config, ...timers, testMatch }), '--runInBand'],
  ];
}

/** By name: the words after `node`. */
const runs = {
  ...Object.fromEntries(pairs.map(([kind, when]) => [`node:test ${kind} ${when}`, ['node-test.cjs', kind, when]])),
  ...Object.fromEntries(kinds.map((kind) => [`node:test ${kind} never`, ['node-test.cjs', kind, 'never']])),
  ...Object.fromEntries(['node', 'jsdom', 'happy-dom'].map((name) => [`vitest ${name}`, vitest(name)])),
  ...Object.fromEntries(['node', 'jsdom'].map((name) => [`jest ${name}`, jest(name, false)])),
  ...Object.fromEntries(['node', 'jsdom'].map((name) => [`jest ${name} global`, jest(name, true)])),
};

const processor = { x64: 'x64', arm64: 'aarch64' }[process.arch];

/** Run times that are not in the lock file, whose packages have install scripts: a package of the program, and its words. */
const runTimes = {
  bun: { name: `@oven/bun-linux-${processor}`, version: '1.4.5', program: 'bin/bun', words: ['run-time.mjs'] },
  deno: {
    name: `@deno/linux-${process.arch}-glibc`,
    version: '2.9.6',
    program: 'deno',
    words: ['run', '--allow-all', '--no-remote', 'run-time.mjs'],
  },
};

/** @returns the program of a run and its words; undefined if it cannot be installed here */
function findProgram(name, folder) {
  const runTime = runTimes[name];
  if (runTime === undefined) return [process.execPath, runs[name]];
  const program = process.platform === 'linux' ? installProgram(runTime, path.join(folder, name)) : undefined;
  return program && [program, runTime.words];
}

/** @returns whether it did not fail, after printing the output of one that did */
function run(name, cwd) {
  const [program, words] = findProgram(name, cwd) ?? [];
  if (program === undefined) {
    process.stdout.write(`${name}: not run here: npm has no package of it for this system\n`);
    return true;
  }
  const inherited = Object.entries(process.env).filter(([key]) => !/^(VITEST|NODE_|JEST|TEST|IAM_|npm_)/.test(key));
  // Deno's cache can have an earlier build of a file.
  const added = { IAM_REAL_TIME: String(Date.now()), DENO_DIR: path.join(cwd, 'deno-cache') };
  const env = { ...Object.fromEntries(inherited), ...added };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, encoding: 'utf8', timeout });
  process.stdout.write(status === 0 ? `${name}: passed\n` : `${stdout}${stderr}\n${name}: failed\n`);
  return status === 0;
}

const filters = process.argv.slice(2);
const all = [...Object.keys(runs), ...Object.keys(runTimes)];
const names = all.filter((name) => filters.length === 0 || filters.some((part) => name.includes(part)));
const isBuilt = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: root, stdio: 'inherit' });
const folder = mkdtempSync(path.join(os.tmpdir(), 'iam-runners-'));
try {
  if (isBuilt.status !== 0 || !(await ensureFolderInstalled(runners))) process.exitCode = 1;
  else {
    createProject(folder);
    const failed = names.filter((name) => !run(name, folder));
    process.stdout.write(`\n${names.length - failed.length} passed, ${failed.length} failed\n`);
    process.exitCode = failed.length === 0 && names.length > 0 ? 0 : 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
