/** The package as a consumer installs it: packed, unpacked and imported by name. Requires dist/. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './cli-process.ts';

const run = promisify(execFile);
const shared = path.join(root, 'node_modules');
let folder: string;

/** Runs a program there without the environment variables of this test run. */
async function inProject(subfolder: string, words: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST|IAM_|npm_)/.test(name));
  const { stdout, stderr } = await run(process.execPath, words, {
    cwd: path.join(folder, subfolder),
    env: Object.fromEntries(inherited),
  });
  return stdout + stderr;
}

const script = async (name: string, text: string) => {
  await writeFile(path.join(folder, name), text);
  return inProject('.', [name]);
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-package-'));
  const installed = path.join(folder, 'node_modules/iam-standin');
  await mkdir(installed, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: root,
  });
  const tarball = stdout.trim().split('\n').at(-1) ?? '';
  await run('tar', ['-xzf', path.join(folder, tarball), '--strip-components=1', '-C', installed]);
  await symlink(shared, path.join(installed, 'node_modules'));
  for (const name of ['vitest', 'jest', 'typescript', '@types'])
    await symlink(path.join(shared, name), path.join(folder, 'node_modules', name));
  for (const name of ['node-test', 'vitest', 'jest'])
    await cp(path.join(root, 'examples', name), path.join(folder, name), { recursive: true });
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an example', () => {
  test('for node:test passes', async () => {
    expect(await inProject('node-test', ['--test'])).toMatch(/pass 3\b/);
  });

  test('for vitest passes', async () => {
    const out = await inProject('vitest', [path.join(shared, 'vitest/vitest.mjs'), 'run', '--root', '.', '--no-color']);
    expect(out).toMatch(/Tests\s+3 passed/);
  });

  test('for jest passes and leaves no open handles', async () => {
    const out = await inProject('jest', [path.join(shared, 'jest/bin/jest.js'), '--detectOpenHandles', '--no-cache']);
    expect(out).toMatch(/Tests:\s+3 passed, 3 total/);
    expect(out).not.toMatch(/open handle|did not exit|force exited/i);
  });
});

test('the README examples run unchanged', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const snippets = [...readme.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(snippets).toHaveLength(1);
  expect(await script('readme.mjs', snippets[0] ?? '')).toBe('6\n');
});

describe('the package', () => {
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

  test('serves the API documentation page from both and contains no build dependencies', async () => {
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
    const { dependencies } = JSON.parse(
      await readFile(path.join(folder, 'node_modules/iam-standin/package.json'), 'utf8'),
    );
    expect(Object.keys(dependencies).filter((name) => /swagger|scarf|redocly/.test(name))).toEqual([]);
  });

  test('exports the same from both', async () => {
    const names = `Object.keys(library).filter((name) => name !== 'default' && name !== 'module.exports').sort().join()`;
    const modules = await script('names.mjs', `import * as library from 'iam-standin'; console.log(${names})`);
    const common = await script('names.cjs', `const library = require('iam-standin'); console.log(${names})`);
    expect(common).toBe(modules);
    const declared = await readFile(path.join(folder, 'node_modules/iam-standin/dist/testing/index.d.cts'), 'utf8');
    const values = [...declared.matchAll(/^export declare const (\w+)/gm)].map(([, name]) => name);
    expect(values.sort().join()).toBe(modules.trim());
  });

  test('imports only its dependencies', async () => {
    const installed = path.join(folder, 'node_modules/iam-standin');
    const { dependencies } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    const files = (await readdir(path.join(installed, 'dist/testing'), { recursive: true })).filter((file) =>
      /(^|\/)(index|chunks\/[^/]+)\.c?js$/.test(file),
    );
    expect(files.length).toBeGreaterThan(2);
    const texts = await Promise.all(files.map((file) => readFile(path.join(installed, 'dist/testing', file), 'utf8')));
    const names = texts.flatMap((text) =>
      [...text.matchAll(/(?:^import\b[^'"();]*|^export\b[^'"();]*from|\bimport\()['"]([^'"./][^'"]*)['"]/gm)].map(
        ([, name = '']) => name,
      ),
    );
    const strange = names.filter((name) => !isBuiltin(name) && !Object.keys(dependencies).includes(packageOf(name)));
    expect(strange).toEqual([]);
    expect(createRequire(path.join(folder, 'x.js')).resolve('iam-standin')).toMatch(/index\.cjs$/);
  });

  test('has types for ESM and CommonJS', async () => {
    const use = `
      export async function main(): Promise<string | undefined> {
        const iam: IamServer = await startServer({ seed: { groups: [{ groupName: 'ops', roles: ['VIEW'] }] }, clock: 'frozen', settings: { 'client-token-lifetime': 60 } });
        const { groupId } = await iam.client.groups.create({ body: { groupName: 'more', roles: ['VIEW'] } });
        const { code } = await iam.inbox.waitFor({ to: 'ann@example.com' });
        // @ts-expect-error unknown setting
        await startServer({ settings: { nonsense: 1 } });
        return code ?? groupId;
      }`;
    await writeFile(path.join(folder, 'types.mts'), `import { type IamServer, startServer } from 'iam-standin';${use}`);
    await writeFile(
      path.join(folder, 'types.cts'),
      `import { type IamServer, startServer, ClientError } from 'iam-standin';\nexport const isOurs = (error: unknown): error is ClientError => error instanceof ClientError;${use}`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'node20',
      '--target',
      'es2022',
      '--types',
      'node',
      '--skipLibCheck',
      'false',
    ];
    const checked = inProject('.', [path.join(shared, 'typescript/bin/tsc'), ...options, 'types.mts', 'types.cts']);
    expect(await checked.catch(({ stdout }: { stdout: string }) => stdout)).toBe('');
  });
});

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
