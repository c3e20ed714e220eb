import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scriptPath } from './load-script.ts';

/** Installs the only package of the project below, but when a signal arrives; it then takes a moment to end, as npm does. */
const npm = `
  const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
  const log = (word) => appendFileSync('npm.log', word + '\\n');
  log('start');
  const timer = setTimeout(install, Number(process.env.NPM_MS));
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      log(signal);
      clearTimeout(timer);
      setTimeout(() => log('end'), Number(process.env.NPM_CLEANUP_MS));
    });
  function install() {
    mkdirSync('node_modules/here', { recursive: true });
    writeFileSync('node_modules/.package-lock.json', '{}');
    log('end');
  }
  console.error('npm runs as ' + process.pid);
`;

interface Start {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly output: () => string;
  /** Resolves when the output contains the text. */
  readonly printed: (text: string) => Promise<void>;
}

/** A clone with one package, in which npm and the server are those of this test. */
class Clone {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'iam-first-start-'));

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    cpSync(path.dirname(scriptPath('start.mjs')), this.#at('scripts'), { recursive: true });
    this.#write('package.json', '{ "dependencies": { "here": "1.0.0" } }');
    this.#write('package-lock.json', '{}');
    this.#write('packages/console/package.json', '{ "name": "console" }');
    this.#write('test/package.json', '{ "name": "tests" }');
    this.#write('src/contract/server.json', '{ "settings": [] }');
    this.#write('npm-cli.cjs', npm);
    this.#write('npm/npm-cli.js', "require('../npm-cli.cjs');");
    this.#write('bin/iam.js', "process.stdout.write('serving in ' + process.pid + '\\n');");
    this.#write('dist/.built', String(Number.MAX_SAFE_INTEGER));
    for (const name of [
      'docs/openapi.json',
      ...['src', 'index.html', 'build.mjs'].map((each) => `packages/console/${each}`),
    ])
      this.#write(name, '');
  }

  /** What npm has logged. */
  npmLog(): readonly string[] {
    const file = this.#at('npm.log');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  hasLock(): boolean {
    return existsSync(this.#at('.lock'));
  }

  writeLock(content: string): void {
    this.#write('.lock', content);
  }

  /** Replaces what builds by this code. */
  writeBuild(code: string): void {
    rmSync(this.#at('dist/.built'));
    this.#write(
      'scripts/bundle.mjs',
      `import fs from 'node:fs';\nexport async function bundle({ outdir }) { fs.mkdirSync(outdir); ${code} }`,
    );
    this.#write('packages/console/build.mjs', 'export async function buildConsole() { return { outputs: {} }; }');
    this.#write('scripts/docs-page.mjs', 'export function copyDocsPage() {}');
  }

  start({ installMs = 300, cleanupMs = 300 } = {}): Start {
    const env = {
      ...process.env,
      npm_execpath: this.#at('npm/npm-cli.js'),
      npm_lifecycle_event: undefined,
      NPM_MS: String(installMs),
      NPM_CLEANUP_MS: String(cleanupMs),
    };
    const child = spawn(process.execPath, [this.#at('scripts/start.mjs')], { cwd: this.folder, env });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        child.emit('printed');
      });
    const printed = async (expected: string) => {
      while (!text.includes(expected)) await once(child, 'printed');
    };
    const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    return { child, ended, output: () => text, printed };
  }

  #at(name: string): string {
    return path.join(this.folder, name);
  }

  #write(name: string, text: string): void {
    mkdirSync(path.dirname(this.#at(name)), { recursive: true });
    writeFileSync(this.#at(name), text);
  }
}

describe.skipIf(process.platform === 'win32')('the first start', () => {
  test('installs, then serves', async () => {
    const clone = new Clone();
    const { child, ended, output } = clone.start();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(output()).toContain(`serving in ${child.pid}\n`);
    expect(clone.npmLog()).toEqual(['start', 'end']);
    expect(clone.hasLock()).toBe(false);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends on %s after npm, which gets the signal once', async (name) => {
    const clone = new Clone();
    const { child, ended, output, printed } = clone.start({ installMs: 60_000 });
    await printed('npm runs');
    child.kill(name);
    await printed('Waiting until npm has ended');
    child.kill(name);
    expect(await ended).toEqual({ code: null, signal: name });
    expect(clone.npmLog().slice(1)).toEqual([name, 'end']);
    expect(output()).not.toContain('serving');
    expect(clone.hasLock()).toBe(false);
  });

  test('waits for another one that installs, and does not install again', async () => {
    const clone = new Clone();
    const first = clone.start({ installMs: 1500 });
    await first.printed('Installing');
    const second = clone.start();
    await second.printed(`Waiting for process ${first.child.pid}, which installs`);
    for (const { ended } of [first, second]) expect(await ended).toEqual({ code: 0, signal: null });
    expect(clone.npmLog()).toEqual(['start', 'end']);
    expect(second.output()).toContain('serving');
  });

  test('waits for the npm of another one that was killed', async () => {
    const clone = new Clone();
    const first = clone.start({ installMs: 2000 });
    await first.printed('npm runs');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = clone.start();
    await second.printed(`Waiting for process ${/npm runs as (\d+)/.exec(first.output())?.[1]}`);
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(clone.npmLog()).toHaveLength(2);
  });

  test('ignores the lock of a process that has ended, or whose id is that of another one now', async () => {
    const clone = new Clone();
    for (const pid of [2 ** 22 + 1, process.pid]) {
      clone.writeLock(JSON.stringify([{ pid, startedAt: '1' }]));
      rmSync(path.join(clone.folder, 'node_modules'), { recursive: true, force: true });
      expect(await clone.start().ended).toEqual({ code: 0, signal: null });
    }
    expect(clone.npmLog()).toHaveLength(4);
  });

  test('builds in another process', async () => {
    const clone = new Clone();
    clone.writeBuild("console.error('building in ' + process.pid); return { outputs: {} };");
    const { child, ended, output } = clone.start();
    expect(await ended).toEqual({ code: 0, signal: null });
    const builder = /Building \.\.\.\nbuilding in (\d+)\n/.exec(output())?.[1];
    expect(Number(builder)).toBeGreaterThan(0);
    expect(output()).toContain(`serving in ${child.pid}\n`);
    expect(builder).not.toBe(String(child.pid));
  });

  test('reports a failed build, and does not serve', async () => {
    const clone = new Clone();
    clone.writeBuild("throw new Error('no space');");
    const { ended, output } = clone.start();
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(output()).toContain('error: the build failed: no space\n');
    expect(output()).not.toContain('serving');
  });

  test('ends on SIGINT with what builds', async () => {
    const clone = new Clone();
    clone.writeBuild(
      "console.error('building in ' + process.pid); setTimeout(() => {}, 60_000); await new Promise(() => {});",
    );
    const { child, ended, output, printed } = clone.start();
    await printed('building in');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    const builder = Number(/building in (\d+)/.exec(output())?.[1]);
    expect(() => process.kill(builder, 0)).toThrow('ESRCH');
  });
});
