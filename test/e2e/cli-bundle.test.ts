import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifest } from '../../src/contract/manifest.ts';
import { startFakeServer } from '../client/fake-server.ts';
import { bin, root, Sandbox } from './cli-process.ts';

let folder: string;
let metafile: Metafile;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-bundle-'));
  const { bundleCli } = (await import(path.join(root, 'scripts/bundle-cli.mjs'))) as {
    bundleCli(options: { outdir: string }): Promise<Metafile>;
  };
  metafile = await bundleCli({ outdir: folder });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Contents of a bundle file: packages, source folders, and `apart:x` for a lazily loaded file x. */
function contents(name: string): string[] {
  return [...new Set(Object.keys(outputOf(name).inputs).map(origin))].sort();
}

function outputOf(name: string): Metafile['outputs'][string] {
  const found = Object.entries(metafile.outputs).find(([file]) => path.basename(file) === `${name}.cjs`);
  if (!found) throw new Error(`The bundle has no ${name}.cjs.`);
  return found[1];
}

function origin(input: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? input.split('/').slice(0, 2).join('/');
}

describe('the bundle', () => {
  test('contains neither the server nor zod', () => {
    const all = new Set(Object.keys(metafile.inputs).map(origin));
    expect(all).toContain('src/cli');
    expect([...all].filter((name) => name === 'src/server' || name === 'zod')).toEqual([]);
  });

  test('starts with minimal code and builds its commands without the heavy packages', () => {
    expect(contents('main')).toEqual(['apart:run', 'scripts/cli-part.cjs', 'src/cli', 'src/contract', 'used:node:fs']);
    expect(Object.keys(outputOf('main').inputs)).not.toContain('src/contract/manifest.ts');
    expect(contents('run').filter((name) => !/^(apart|used):/.test(name))).toEqual([
      'commander',
      'scripts/cli-part.cjs',
      'src/cli',
      'src/client',
      'src/contract',
      'unused:child_process',
    ]);
  });

  test('loads each file from one other file, so that no code is duplicated', () => {
    const apart = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((input) => input.startsWith('apart:')),
    );
    expect([...apart].sort()).toEqual(
      ['bulk', 'colour', 'http', 'plan', 'prompts', 'query', 'run', 'server', 'signatures', 'width', 'yaml'].map(
        (name) => `apart:${name}`,
      ),
    );
  });

  test('loads only the operation list; details are one line per operation', async () => {
    const lines = (await readFile(path.join(folder, 'manifest.jsonl'), 'utf8')).split('\n');
    expect(lines.slice(0, -3).map((line) => JSON.parse(line))).toEqual(manifest.operations);
    const { controlRoutes, errors, settings } = manifest;
    expect(lines.slice(-3).map((line) => JSON.parse(line))).toEqual([controlRoutes, errors, settings]);
    const { bytesInOutput = Number.POSITIVE_INFINITY } = outputOf('run').inputs['src/contract/manifest.ts'] ?? {};
    expect(bytesInOutput / manifest.operations.length).toBeLessThan(500);
  });

  test('contains only the parts of undici that a request needs', () => {
    const { inputs } = outputOf('http');
    expect(Object.keys(inputs).filter((input) => /undici\/lib\/(web\/fetch\/index|mock|cache)/.test(input))).toEqual(
      [],
    );
    expect(contents('http')).toContain('undici');
  });

  test('is ASCII, as the loader requires', async () => {
    const scripts = (await readdir(folder)).filter((name) => name.endsWith('.cjs'));
    expect(scripts.length).toBeGreaterThan(5);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
    for (const name of scripts) expect(await readFile(path.join(folder, name), 'latin1')).toMatch(/^[\x00-\x7f]*$/);
  });
});

/** Runs in a separate process: V8 accepts cached code only with the flags of its compilation, and tests set some. */
const tryCode = `
const { readFileSync } = require('node:fs');
const [file, code] = process.argv.slice(1);
const source = '(function(exports,require,module,__dirname){' + readFileSync(file, 'latin1') + '\\n})';
const script = new (require('node:vm').Script)(source, { cachedData: readFileSync(code) });
process.stdout.write(String(script.cachedDataRejected));
`;

describe('the V8 code cache', () => {
  const codeFiles = async () => (await readdir(folder)).filter((name) => name.endsWith('.code'));

  test('exists for the commonly loaded files and is accepted by the Node version of the build', async () => {
    const names = await codeFiles();
    expect(names.map((name) => name.split('.')[0]).sort()).toEqual(['http', 'run']);
    for (const name of names) {
      const file = path.join(folder, name.replace(/(\.cjs)\..*/, '$1'));
      const rejected = execFileSync(process.execPath, ['-e', tryCode, file, path.join(folder, name)], {
        encoding: 'utf8',
      });
      expect([name, rejected]).toEqual([name, 'false']);
    }
  });

  test.each([
    ['is broken', (file: string) => writeFile(file, 'not a V8 code cache')],
    ['is cut off', async (file: string) => writeFile(file, (await readFile(file)).subarray(0, 5_000))],
    ['is missing', (file: string) => rm(file)],
  ])('is optional: it %s and the command runs', async (_what, change) => {
    await using sandbox = await Sandbox.make();
    const copy = sandbox.file('bundle');
    await cp(folder, copy, { recursive: true });
    for (const name of await codeFiles()) await change(path.join(copy, name));
    const run = (file: string) => sandbox.start(process.execPath, [file, 'groups', 'list', '--help']).done;
    const outcome = await run(path.join(copy, 'main.cjs'));
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(outcome).toEqual(await run(path.join(folder, 'main.cjs')));
  });
});

/** Files of the built command that a run loads. */
async function loadedFiles(
  sandbox: Sandbox,
  words: readonly string[],
  variables: Record<string, string> = {},
): Promise<string[]> {
  const coverage = sandbox.file(`coverage-${words.join('-').replaceAll('/', '')}`);
  await sandbox.iam(words, { ...variables, NODE_V8_COVERAGE: coverage });
  const [report = ''] = await readdir(coverage);
  const { result } = JSON.parse(await readFile(path.join(coverage, report), 'utf8')) as { result: { url: string }[] };
  return result
    .map(({ url }) => url)
    .filter((url) => url.includes('/dist/'))
    .map((url) => path.basename(url));
}

/** Built-in Node modules that a run loads in addition to those of Node's startup. */
async function loadedModules(
  sandbox: Sandbox,
  words: readonly string[],
  variables: Record<string, string> = {},
): Promise<string[]> {
  const [hook, list] = [sandbox.file('hook.cjs'), sandbox.file('modules.json')];
  const write = `require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList))`;
  await writeFile(hook, `process.on('exit', () => ${write});`);
  await sandbox.start(process.execPath, ['--require', hook, bin, ...words], variables).done;
  const modules = JSON.parse(await readFile(list, 'utf8')) as string[];
  return modules.map((name) => name.replace(/^NativeModule /, ''));
}

const unused = ['http', '_http_client', 'https', 'tls', 'assert', 'crypto', 'child_process', 'readline', 'zlib'];

describe('loading', () => {
  test('--version loads one file', async () => {
    await using sandbox = await Sandbox.make();
    expect(await loadedFiles(sandbox, ['--version'])).toEqual(['main.cjs']);
  });

  test.each([
    [['--help']],
    [['groups', '--help']],
    [['groups', 'update', '--help']],
    [['config', 'explain']],
    [['profile', 'list']],
    [['help', 'output']],
    [['apply', '--help']],
    [['completion', 'bash']],
    [['__complete', '--', 'groups', '']],
  ])('%j loads two files and none of the heavy packages', async (words) => {
    await using sandbox = await Sandbox.make();
    expect(await loadedFiles(sandbox, words)).toEqual(['main.cjs', 'run.cjs']);
  });

  test('a request loads the HTTP client, but not prompts, YAML or the server', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    const loaded = await loadedFiles(sandbox, ['groups', 'list'], { IAM_BASE_URL: server.url, IAM_TOKEN: 't' });
    expect(loaded).toEqual(['main.cjs', 'run.cjs', 'http.cjs']);
  });

  test('a table loads string-width only for text beyond Latin-1', async () => {
    await using sandbox = await Sandbox.make();
    await using latin = await startFakeServer(() => ({ json: [{ groupName: 'Zo\u00eb' }] }));
    await using chinese = await startFakeServer(() => ({ json: [{ groupId: '\u6f22', groupName: 'x' }] }));
    const list = ['groups', 'list', '-o', 'table'];
    const variables = { IAM_BASE_URL: latin.url, IAM_TOKEN: 't' };
    expect(await loadedFiles(sandbox, list, variables)).toEqual(['main.cjs', 'run.cjs', 'http.cjs']);
    const others = { ...variables, IAM_BASE_URL: chinese.url };
    expect(await loadedFiles(sandbox, list.slice(0, 2), others)).toContain('width.cjs');
    expect((await sandbox.iam(list, others)).out).toBe('GROUP ID  GROUP NAME\n\u6f22        x\n');
  });

  test('detects the loading of YAML', async () => {
    await using sandbox = await Sandbox.make();
    expect(await loadedFiles(sandbox, ['config', 'explain', '-o', 'yaml'])).toContain('yaml.cjs');
  });

  test('a plan loads the plan bundle and reports document errors normally', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
    await writeFile(sandbox.file('iam.yaml'), 'groups:\n  - groupName: a\n');
    const loaded = await loadedFiles(sandbox, ['plan', '-f', 'iam.yaml', '--color', 'never'], variables);
    expect(loaded.sort()).toEqual(['colour.cjs', 'http.cjs', 'main.cjs', 'plan.cjs', 'run.cjs', 'yaml.cjs']);
    await writeFile(sandbox.file('iam.yaml'), 'groups:\n  - name: a\n');
    const outcome = await sandbox.iam(['plan', '-f', 'iam.yaml', '-o', 'json'], variables);
    expect([outcome.code, JSON.parse(outcome.err)]).toMatchObject([2, { error: { code: 'DOCUMENT_INVALID' } }]);
    expect(outcome.err).toContain('iam.yaml:2:5: groups: unknown field name');
  });

  test.each([[['--help']], [['groups', 'list', '--help']], [['help', 'output']], [['--version']]])(
    '%j loads hardly anything of Node',
    async (words) => {
      await using sandbox = await Sandbox.make();
      const loaded = await loadedModules(sandbox, words);
      expect(loaded.filter((name) => [...unused, 'v8', 'stream', 'net', 'tty'].includes(name))).toEqual([]);
    },
  );

  test('completion loads little besides streams', async () => {
    await using sandbox = await Sandbox.make();
    const loaded = await loadedModules(sandbox, ['__complete', '--', 'groups', '']);
    expect(loaded).toContain('stream');
    expect(loaded.filter((name) => [...unused, 'v8'].includes(name))).toEqual([]);
  });

  test('a request loads the sockets of Node but not its HTTP module', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    const loaded = await loadedModules(sandbox, ['groups', 'list'], { IAM_BASE_URL: server.url, IAM_TOKEN: 't' });
    expect(loaded).toEqual(expect.arrayContaining(['net', 'v8']));
    expect(loaded.filter((name) => unused.includes(name))).toEqual([]);
  });
});
