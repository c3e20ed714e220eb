/**
 * Runs the commands of the `console` blocks of a page, in order, against a server with a new store, and replaces what
 * follows each command with its actual output. Ids and times become fixed values; a later command that contains such a
 * value runs with the actual one. Needs dist/ (npm run build).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { root } from './root.mjs';

/** The pages whose `console` blocks are transcripts. */
export const transcriptPages = ['README.md', 'docs/secure.md', 'docs/user-lifecycle.md'];

const command = path.join(root, 'bin/iam.js');

/** Reads commands that end with NUL from descriptor 3 and runs them in one shell; prints NUL after each. */
const shellLoop = `exec 2>&1; while IFS= read -r -d '' -u 3 line; do eval "$line" </dev/null; printf '\\0'; done`;

/** Returns a page with the current output of its commands. @param program the file of `iam` */
export async function renderPage(page, program = command) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'iam-transcripts-'));
  const env = environmentIn(folder, program);
  try {
    return await withServer(folder, env, () =>
      withShell(folder, env, (run) => renderBlocks(readFileSync(path.join(root, page), 'utf8'), run, folder)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Isolates the commands from the environment of the user: profiles, caches and colors. */
function environmentIn(folder, program) {
  mkdirSync(path.join(folder, 'bin'));
  symlinkSync(program, path.join(folder, 'bin/iam'));
  symlinkSync(path.join(root, 'examples'), path.join(folder, 'examples'));
  const settings = path.join(folder, 'settings');
  const PATH = [path.join(folder, 'bin'), process.env.PATH].join(path.delimiter);
  const folders = { XDG_CONFIG_HOME: settings, XDG_CACHE_HOME: settings, XDG_STATE_HOME: settings };
  return { PATH, HOME: folder, ...folders, NO_COLOR: '1' };
}

/** Runs a server with an empty store and stores the credentials of its first start in the profile `local`. */
async function withServer(folder, env, work) {
  const store = path.join(folder, 'data/store');
  const server = spawn(process.execPath, [command, 'serve', '--json', '--port', '0', '--data', store], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), ended]);
    const { url: baseUrl, adminClientId: clientId, adminClientSecret: clientSecret, appClientId } = JSON.parse(line);
    const profile = { baseUrl, clientId, clientSecret, userClientId: appClientId };
    mkdirSync(path.join(folder, 'settings/iam'), { recursive: true });
    const config = JSON.stringify({ current: 'local', profiles: { local: profile } });
    writeFileSync(path.join(folder, 'settings/iam/config.json'), config, { mode: 0o600 });
    return await work();
  } finally {
    server.kill();
    await ended;
  }
}

async function withShell(folder, env, work) {
  const shell = spawn('bash', ['-c', shellLoop], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const ended = once(shell, 'exit');
  const chunks = shell.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  const run = async (line) => {
    shell.stdio[3].write(`${line}\0`);
    let output = '';
    while (!output.endsWith('\0')) {
      const { value, done } = await chunks.next();
      if (done) throw new Error(`the shell ended in: ${line}`);
      output += value;
    }
    return output.slice(0, -1);
  };
  try {
    return await work(run);
  } finally {
    shell.stdio[3].end();
    await ended;
  }
}

async function renderBlocks(text, run, folder) {
  const names = new FixedNames(folder);
  const parts = text.split(/(^```console\n[\s\S]*?^```$)/m);
  for (const [at, part] of parts.entries())
    if (part.startsWith('```console\n')) parts[at] = await renderBlock(part, run, names);
  return parts.join('');
}

async function renderBlock(block, run, names) {
  const lines = [];
  for (const line of block.split('\n').filter((text) => text.startsWith('$ '))) {
    const output = names.replace(await run(names.restore(line.slice(2))));
    lines.push(line, ...(output === '' ? [] : [output.replace(/\n$/, '')]));
  }
  return ['```console', ...lines, '```'].join('\n');
}

/** Patterns of values that differ between runs, and the fixed value of the n-th one. */
const kindsOfValues = [
  [/\b[0-9a-f]{24}\b/g, (n) => `64b0c0ffee${String(n).padStart(14, '0')}`],
  [/\b[0-9a-f]{12}-[0-9a-z]+\b/g, (n) => `64b0c0ffee00-${n}`],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, () => '2026-01-31T12:00:00.000Z'],
  [/\b\d{8}T\d{6}(?:\d{3})?Z\b/g, () => '20260131T120000Z'],
  [/^\d{6}$/gm, () => '493817'],
  [/http:\/\/127\.0\.0\.1:\d+/g, () => 'http://127.0.0.1:8080'],
];

/** Replaces values that differ between runs by fixed ones, numbered in order of appearance. */
class FixedNames {
  #fixed = new Map();
  #kinds;

  constructor(folder) {
    this.#kinds = [[new RegExp(folder, 'g'), () => '/home/ann/iam-standin'], ...kindsOfValues];
  }

  replace(text) {
    return this.#kinds.reduce(
      (so, [pattern, name], kind) => so.replace(pattern, (actual) => this.#name(actual, kind, name)),
      text,
    );
  }

  #name(actual, kind, name) {
    const known = [...this.#fixed.values()].filter((one) => one.kind === kind);
    if (!this.#fixed.has(actual)) this.#fixed.set(actual, { kind, fixed: name(known.length + 1) });
    return this.#fixed.get(actual).fixed;
  }

  /** The inverse: a line with the actual values, the latest where several have the same fixed one. */
  restore(line) {
    return [...this.#fixed].reduceRight((so, [actual, { fixed }]) => so.replaceAll(fixed, actual), line);
  }
}
