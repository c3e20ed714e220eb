/** The package as a consumer installs it: packed, unpacked and imported by name. Requires dist/. */
import { type ExecFileException, execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtDocs } from '../../../scripts/generate/docs.ts';
import { isFullRun } from '../../effort.ts';
import { requestResource } from '../../resources/request.ts';
import { loadScript } from '../../scripts/load-script.ts';
import { root } from '../cli-process.ts';
import { InstalledPackage } from './installed-package.ts';

const { ensureFolderInstalled } = await loadScript<{ ensureFolderInstalled(folder: string): Promise<boolean> }>(
  'install.mjs',
);
const run = promisify(execFile);
const shared = path.join(root, 'node_modules');
let installed: InstalledPackage;
let folder: string;

/** Runs a program there without the environment variables of this test run. */
async function inProject(subfolder: string, words: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST|IAM_|npm_)/.test(name));
  const { stdout, stderr } = await run(process.execPath, words, {
    cwd: path.join(folder, subfolder),
    env: { ...Object.fromEntries(inherited), IAM_REAL_TIME: String(Date.now()) },
    // Ends what hangs before the test is ended.
    timeout: 110_000,
  });
  return stdout + stderr;
}

const script = async (name: string, text: string) => {
  await writeFile(path.join(folder, name), text);
  return inProject('.', [name]);
};

beforeAll(async () => {
  installed = await InstalledPackage.make((await requestResource('package')).tarball);
  folder = installed.project;
  for (const name of ['vitest', 'typescript', '@types']) await installed.link(name);
  for (const name of ['node-test', 'vitest', 'jest'])
    await cp(path.join(root, 'examples', name), path.join(folder, name), { recursive: true });
});

afterAll(() => installed[Symbol.asyncDispose]());

/** No example may fail because the machine is slow. */
const patient = ['--testTimeout=110000'];

/** `npm run test:runners` does so in other test runners, too. */
test('everything public works under fake timers that are enabled before the import', async () => {
  for (const file of ['calls.cjs', 'node-test.cjs'])
    await cp(path.join(root, 'test/runners', file), path.join(folder, file));
  expect(await inProject('.', ['node-test.cjs', 'require', 'before'])).toMatch(/pass 1\b/);
});

describe('an example', () => {
  test('for node:test passes', async () => {
    expect(await inProject('node-test', ['--test'])).toMatch(/pass 5\b/);
  });

  test.runIf(isFullRun)('for vitest passes', async () => {
    const out = await inProject('vitest', [
      path.join(shared, 'vitest/vitest.mjs'),
      'run',
      '--root',
      '.',
      '--no-color',
      ...patient,
    ]);
    expect(out).toMatch(/Tests\s+3 passed/);
  });

  /** A test that does not stop its server. */
  const failing = (imports: string) => `${imports}
    test('fails', async () => {
      const iam = await startServer({ settings: { 'fast-passwords': true } });
      await iam.client.groups.list();
      throw new Error('failing-test');
    });`;
  const startServer = `import { startServer } from 'iam-standin';`;

  /** Runs the tests of a project, of which one fails. @returns the output of the run, which ended by itself */
  async function expectFailure(subfolder: string, file: string, text: string, words: readonly string[]) {
    await writeFile(path.join(folder, subfolder, file), text);
    const [outcome] = await Promise.allSettled([inProject(subfolder, words)]);
    await rm(path.join(folder, subfolder, file));
    expect(outcome.status).toBe('rejected');
    const { code, killed, stdout, stderr } = (outcome as PromiseRejectedResult).reason as ExecFileException;
    expect({ code, killed }).toEqual({ code: 1, killed: false });
    const out = `${stdout}${stderr}`;
    expect(out).toContain('failing-test');
    expect(out).not.toMatch(/open handle|did not exit|force exited|close timed out/i);
    return out;
  }

  // Jest says the most about what keeps a run alive. Its 264 packages are those of a folder of its own.
  test.runIf(isFullRun)('for jest passes and leaves no open handles, even beside a failing test', async () => {
    const runners = path.join(root, 'test/runners');
    expect(await ensureFolderInstalled(runners)).toBe(true);
    await installed.link('jest', runners);
    const text = failing(`const { startServer } = require('iam-standin');`);
    const words = [
      path.join(runners, 'node_modules/jest/bin/jest.js'),
      '--detectOpenHandles',
      '--no-cache',
      ...patient,
    ];
    const out = await expectFailure('jest', 'failing-test.test.js', text, words);
    expect(out).toMatch(/Tests:\s+1 failed, 3 passed, 4 total/);
  });

  test.runIf(isFullRun)('that fails without stopping its server ends, in vitest and node:test', async () => {
    const ofVitest = failing(`import { test } from 'vitest'; ${startServer}`);
    const words = [path.join(shared, 'vitest/vitest.mjs'), 'run', '--root', '.', 'failing-test'];
    await expectFailure('vitest', 'failing-test.test.ts', ofVitest, words);
    const ofNode = failing(`import test from 'node:test'; ${startServer}`);
    await expectFailure('node-test', 'failing-test.mjs', ofNode, ['--test', 'failing-test.mjs']);
  });
});

test('the examples of docs/test.md run unchanged', async () => {
  const page = await readFile(path.join(root, 'docs/test.md'), 'utf8');
  const snippets = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(snippets).toHaveLength(1);
  expect(await script('page.mjs', snippets[0] ?? '')).toBe('6\n');
});

describe('the package', () => {
  test('contains the current references of the command and the control plane', async () => {
    const docs = path.join(folder, 'node_modules/iam-standin/dist/docs');
    const documents = await builtDocs(root);
    expect((await readdir(docs)).sort()).toEqual([...documents.keys()].sort());
    for (const [name, content] of documents)
      expect((await readFile(path.join(docs, name), 'utf8')) === content, `dist/docs/${name} is stale`).toBe(true);
  });

  /** Prints what a server and its fork did, and exits when both have stopped. */
  const use = `
    const iam = await library.startServer({ settings: { 'fast-passwords': true } });
    const fork = await iam.fork();
    await fork.client.groups.list();
    const error = await fork.as().groups.list().catch((thrown) => thrown);
    const rejected = error instanceof client.ClientError && error.status;
    const page = [];
    for (const file of ['', '/page.js', '/swagger-ui-bundle.js', '/swagger-ui.css', '/swagger-ui.LICENSE.txt'])
      page.push((await fetch(iam.url + '/_iam/docs' + file)).status);
    await Promise.all([iam.stop(), fork.stop()]);
    const all = [client, library, require('iam-standin'), require('iam-standin/client')];
    const copies = new Set(all.map(({ ClientError }) => ClientError)).size;
    const names = Object.keys(library).filter((name) => name !== 'default' && name !== 'module.exports').sort();
    console.log(JSON.stringify({ rejected, page, copies, names }));`;

  test('is the same as ESM and CommonJS: serves, exits, and has one copy of its classes', async () => {
    const asModule = `
      import { createRequire } from 'node:module';
      import * as client from 'iam-standin/client';
      import * as library from 'iam-standin';
      const require = createRequire(import.meta.url);
      ${use}`;
    const asCommon = `
      const client = require('iam-standin/client');
      const library = require('iam-standin');
      (async () => {${use}})();`;
    const outcome = JSON.parse(await script('use.mjs', asModule)) as { names: string[] };
    expect(outcome).toMatchObject({ rejected: 401, page: [200, 200, 200, 200, 200], copies: 1 });
    expect(outcome.names).toContain('startServer');
    expect(JSON.parse(await script('use.cjs', asCommon))).toEqual(outcome);
  });
});
