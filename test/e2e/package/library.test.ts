/** The package as a consumer installs it: packed, unpacked and imported by name. Requires dist/. */
import { type ExecFileException, execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtDocs } from '../../../scripts/generate/docs.ts';
import { isFullRun } from '../../effort.ts';
import { requestResource } from '../../resources/request.ts';
import { root } from '../cli-process.ts';
import { InstalledPackage } from './installed-package.ts';

const run = promisify(execFile);
const shared = path.join(root, 'node_modules');
let installed: InstalledPackage;
let folder: string;

/** Runs a program there without the environment variables of this test run. */
async function inProject(subfolder: string, words: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST|IAM_|npm_)/.test(name));
  const { stdout, stderr } = await run(process.execPath, words, {
    cwd: path.join(folder, subfolder),
    env: Object.fromEntries(inherited),
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
  for (const name of ['vitest', 'jest', 'typescript', '@types']) await installed.link(name);
  for (const name of ['node-test', 'vitest', 'jest'])
    await cp(path.join(root, 'examples', name), path.join(folder, name), { recursive: true });
});

afterAll(() => installed[Symbol.asyncDispose]());

/** No example may fail because the machine is slow. */
const patient = ['--testTimeout=110000'];

describe('an example', () => {
  test('for node:test passes', async () => {
    expect(await inProject('node-test', ['--test'])).toMatch(/pass 5\b/);
  });

  test('for vitest passes', async () => {
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

  test('for jest passes and leaves no open handles', async () => {
    const out = await inProject('jest', [
      path.join(shared, 'jest/bin/jest.js'),
      '--detectOpenHandles',
      '--no-cache',
      ...patient,
    ]);
    expect(out).toMatch(/Tests:\s+3 passed, 3 total/);
    expect(out).not.toMatch(/open handle|did not exit|force exited/i);
  });

  /** Jest says the most about what keeps a run alive. */
  const runners = {
    jest: {
      file: 'jest/failing-test.test.js',
      words: [path.join(shared, 'jest/bin/jest.js'), '--no-cache', 'failing-test'],
    },
    vitest: {
      file: 'vitest/failing-test.test.ts',
      words: [path.join(shared, 'vitest/vitest.mjs'), 'run', '--root', '.', 'failing-test'],
    },
    'node-test': { file: 'node-test/failing-test.mjs', words: ['--test', 'failing-test.mjs'] },
  } as const;
  const names = Object.keys(runners) as (keyof typeof runners)[];

  test.each(isFullRun ? names : names.slice(0, 1))(
    'that fails without stopping its server ends, in %s',
    async (name) => {
      const use = `const iam = await startServer({ settings: { 'fast-passwords': true } });
      await iam.client.groups.list();
      throw new Error('failing-test');`;
      const failing = (imports: string) => `${imports}\ntest('fails', async () => { ${use} });\n`;
      const library = `import { startServer } from 'iam-standin';`;
      const sources = {
        jest: failing(`const { startServer } = require('iam-standin');`),
        vitest: failing(`import { test } from 'vitest'; ${library}`),
        'node-test': failing(`import test from 'node:test'; ${library}`),
      };
      const { file, words } = runners[name];
      await writeFile(path.join(folder, file), sources[name]);
      const [outcome] = await Promise.allSettled([inProject(name, words)]);
      await rm(path.join(folder, file));
      expect(outcome.status).toBe('rejected');
      const { code, killed, stdout, stderr } = (outcome as PromiseRejectedResult).reason as ExecFileException;
      expect({ code, killed }).toEqual({ code: 1, killed: false });
      expect(`${stdout}${stderr}`).toContain('failing-test');
      expect(`${stdout}${stderr}`).not.toMatch(/did not exit|force exited|close timed out/i);
    },
  );
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
    const documents = builtDocs(root);
    expect((await readdir(docs)).sort()).toEqual([...documents.keys()].sort());
    for (const [name, content] of documents)
      expect((await readFile(path.join(docs, name), 'utf8')) === content, `dist/docs/${name} is stale`).toBe(true);
  });

  test('exits when all servers have stopped, as ESM and CommonJS', async () => {
    const use = `
      const iam = await startServer({ settings: { 'fast-passwords': true } });
      const fork = await iam.fork();
      await fork.client.groups.list();
      const error = await fork.as().groups.list().catch((thrown) => thrown);
      if (!(error instanceof ClientError) || error.status !== 401) throw error;
      await Promise.all([iam.stop(), fork.stop()]);
      console.log('done');`;
    expect(
      await script(
        'use.mjs',
        `import { ClientError } from 'iam-standin/client';\nimport { startServer } from 'iam-standin';\n${use}`,
      ),
    ).toBe('done\n');
    expect(
      await script(
        'use.cjs',
        `const { ClientError, startServer } = require('iam-standin');\n(async () => {${use}\n})();`,
      ),
    ).toBe('done\n');
  });

  test('serves the API documentation page from both', async () => {
    const use = `
      const iam = await startServer();
      const statuses = [];
      for (const file of ['', '/page.js', '/swagger-ui-bundle.js', '/swagger-ui.css', '/swagger-ui.LICENSE.txt'])
        statuses.push((await fetch(iam.url + '/_iam/docs' + file)).status);
      console.log(statuses.join());
      await iam.stop();`;
    const start = `import { startServer } from 'iam-standin';\n${use}`;
    expect(await script('page.mjs', start)).toBe('200,200,200,200,200\n');
    const common = `const { startServer } = require('iam-standin');\n(async () => {${use}\n})();`;
    expect(await script('page.cjs', common)).toBe('200,200,200,200,200\n');
  });

  test('exports the same from both', async () => {
    const names = `Object.keys(library).filter((name) => name !== 'default' && name !== 'module.exports').sort().join()`;
    const modules = await script('names.mjs', `import * as library from 'iam-standin'; console.log(${names})`);
    const common = await script('names.cjs', `const library = require('iam-standin'); console.log(${names})`);
    expect(common).toBe(modules);
  });

  test('has one copy of its classes, by import and by require', async () => {
    const use = `
      import { createRequire } from 'node:module';
      import * as client from 'iam-standin/client';
      import * as library from 'iam-standin';
      const require = createRequire(import.meta.url);
      const all = [client, library, require('iam-standin'), require('iam-standin/client')];
      console.log(new Set(all.map(({ ClientError }) => ClientError)).size);`;
    expect(await script('classes.mjs', use)).toBe('1\n');
  });
});
