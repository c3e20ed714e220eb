/** What the built files contain and what a command loads of them. Needs dist/ (npm run build). */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Metafile, transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { isFullRun } from '../../effort.ts';
import { bin, root, Sandbox } from '../cli-process.ts';
import { packageOfInput } from './rules.ts';

const { inputs, outputs } = JSON.parse(await readFile(path.join(root, 'dist/metafile.json'), 'utf8')) as Metafile;

/** Packages and source folders of a built file. */
function listOrigins(file: string): string[] {
  return [...new Set(Object.keys(outputs[file]?.inputs ?? {}).map(findOrigin))].sort();
}

function findOrigin(input: string): string {
  return packageOfInput(input)?.name ?? input.split('/').slice(0, 2).join('/');
}

/** A built file with all files that it loads by imports of these kinds. */
function withImports(file: string, isFollowed: (kind: string) => boolean, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path: imported, kind, external } of outputs[file]?.imports ?? [])
    if (isFollowed(kind) && !external) withImports(imported, isFollowed, found);
  return found;
}

/** A built file with all files that it always loads. */
function withStaticImports(file: string): Set<string> {
  return withImports(file, (kind) => kind === 'import-statement');
}

function findOutput(entryPoint: string): string {
  const found = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === entryPoint);
  if (found === undefined) throw new Error(`No built file starts with ${entryPoint}.`);
  return found;
}

/** What a module always loads: packages and source folders. */
function loadedBy(entryPoint: string): string[] {
  const files = [...withStaticImports(findOutput(entryPoint))];
  return [...new Set(files.flatMap(listOrigins))].sort();
}

test.runIf(process.env.IAM_TEST_COMMAND === 'package')('the tests run the installed command', () => {
  expect(path.relative(root, bin)).toMatch(/^\.\..*node_modules\/iam-standin\/bin\/iam\.js$/);
});

test('a nested package counts as itself', () => {
  expect(findOrigin('node_modules/a/node_modules/@x/b/lib/index.js')).toBe('@x/b');
});

const own = ['src/cli', 'src/client', 'src/contract', 'src/lib'];
const commander = ['commander', 'scripts/child-process-for-command.cjs'];

describe('the bundle', () => {
  test('contains no test, script or benchmark', () => {
    const own = new Set(
      Object.keys(inputs)
        .map(findOrigin)
        .filter((origin) => /^(src|test|scripts|bench)\//.test(origin)),
    );
    expect([...own].sort()).toEqual([
      'scripts/child-process-for-command.cjs',
      'scripts/http-for-undici.cjs',
      'scripts/timers-for-xml2js.cjs',
      'scripts/undici.mjs',
      'scripts/without-optional-package.cjs',
      'scripts/without-part-of-undici.cjs',
      'src/cli',
      'src/client',
      'src/contract',
      'src/lib',
      'src/server',
      'src/testcontainers',
      'src/testing',
    ]);
  });

  test('starts the command with little code', () => {
    expect(loadedBy('src/cli/main.ts')).toEqual(['src/cli', 'src/contract', 'src/lib']);
    expect(
      [...withStaticImports(findOutput('src/cli/main.ts'))].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})),
    ).not.toContain('src/contract/manifest.ts');
  });

  test('builds the commands without server, zod, undici, prompts and YAML', () => {
    expect(loadedBy('src/cli/run.ts')).toEqual([...commander, ...own]);
  });

  test('starts the server without the packages that few servers use', () => {
    const started = loadedBy('src/server/main.ts');
    expect(started).toEqual(expect.arrayContaining(['koa', 'zod', 'src/server']));
    const rare = ['@node-saml/node-saml', '@peculiar/x509', '@zxcvbn-ts/language-common', 'nodemailer', 'prom-client'];
    expect(Object.keys(inputs).map(findOrigin)).toEqual(expect.arrayContaining(rare));
    expect(started.filter((name) => rare.includes(name))).toEqual([]);
  });

  test('contains the part of undici that sends a request', () => {
    const parts = Object.keys(inputs).filter((input) => findOrigin(input) === 'undici');
    expect(parts).toContain('node_modules/undici/lib/dispatcher/agent.js');
    expect(
      parts.filter((input) => /undici\/(index\.js|lib\/(mock|cache|web\/(fetch\/index|websocket)))/.test(input)),
    ).toEqual([]);
  });

  test('loads no module in the library that Bun or Deno lacks, and native code only on demand', () => {
    const files = ['src/testing/index.ts', 'src/client/index.ts'].flatMap((entry) => [
      ...withStaticImports(findOutput(entry)),
    ]);
    const loaded = files
      .flatMap((file) => outputs[file]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement');
    const names = loaded.map((imported) => imported.path);
    expect(names).toContain('node:http');
    expect(names.filter((name) => ['node:sea', 'fs-native-extensions', '@node-rs/argon2'].includes(name))).toEqual([]);
  });

  test('uses no global that test runners replace, but in files that only the command loads', async () => {
    const timers = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'];
    const classes = ['AbortController', 'AbortSignal', 'Blob', 'Buffer', 'Date', 'ReadableStream', 'Response'];
    const others = ['TextDecoder', 'TextEncoder', 'URL', 'Uint8Array', 'crypto', 'queueMicrotask', 'structuredClone'];
    const names = [...timers, ...classes, ...others];
    const define = Object.fromEntries(names.map((name) => [name, `free_${name}`]));
    const entries = ['server/main.ts', 'testing/index.ts', 'client/index.ts', 'testcontainers/index.ts', 'lib/host.ts'];
    const files = new Set<string>();
    for (const entry of entries) withImports(findOutput(`src/${entry}`), () => true, files);
    const texts = await Promise.all(
      [...files].map((file) => readFile(path.join(root, file.replace(/\.js$/, '.cjs')), 'utf8')),
    );
    expect(texts.length).toBeGreaterThan(50);
    const marked = await Promise.all(texts.map((text) => transform(text, { define })));
    expect(new Set(marked.flatMap(({ code }) => code.match(/\bfree_\w+/g) ?? []))).toEqual(new Set());
  });
});

/** Built files that a run loads, as what they contain: packages and source folders. */
async function loadedOrigins(
  sandbox: Sandbox,
  words: readonly string[],
  variables: Record<string, string> = {},
): Promise<string[]> {
  const coverage = sandbox.file(`coverage-${words.join('-').replaceAll('/', '')}`);
  await sandbox.iam(words, { ...variables, NODE_V8_COVERAGE: coverage });
  const [report = ''] = await readdir(coverage);
  const { result } = JSON.parse(await readFile(path.join(coverage, report), 'utf8')) as { result: { url: string }[] };
  const files = result.flatMap(({ url }) => (url.includes('/dist/') ? [url.slice(url.indexOf('dist/'))] : []));
  expect(files).toContain('dist/cli.cjs');
  return [...new Set(files.flatMap(listOrigins))].sort();
}

/** Modules of Node that are loaded at the end of a run. */
async function loadedModules(
  sandbox: Sandbox,
  words: readonly string[],
  variables: Record<string, string>,
): Promise<string[]> {
  const [script, report] = [sandbox.file('report.cjs'), sandbox.file('report.json')];
  const write = `require('node:fs').writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.moduleLoadList))`;
  await writeFile(script, `process.on('exit', () => ${write});`);
  const { done } = sandbox.start(process.execPath, ['--require', script, bin, ...words], variables);
  expect(await done).toMatchObject({ code: 0 });
  const loaded = JSON.parse(await readFile(report, 'utf8')) as string[];
  return loaded.flatMap((name) => (name.startsWith('NativeModule ') ? [name.slice('NativeModule '.length)] : []));
}

describe('loading', () => {
  test('--version loads hardly anything', async () => {
    await using sandbox = await Sandbox.make();
    expect(await loadedOrigins(sandbox, ['--version'])).toEqual(['src/cli', 'src/contract']);
  });

  test.each([
    [['groups', 'update', '--help']],
    [['config', 'explain']],
    [['__complete', '--', 'groups', '']],
    ...(isFullRun
      ? [
          [['--help']],
          [['groups', '--help']],
          [['profile', 'list']],
          [['help', 'output']],
          [['apply', '--help']],
          [['completion', 'bash']],
        ]
      : []),
  ])('%j loads none of the heavy packages', async (words) => {
    await using sandbox = await Sandbox.make();
    expect([...commander, ...own]).toEqual(expect.arrayContaining(await loadedOrigins(sandbox, words)));
  });

  test('a request loads the part of undici, but not prompts, YAML or the server', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    const loaded = await loadedOrigins(sandbox, ['groups', 'list'], { IAM_BASE_URL: server.url, IAM_TOKEN: 't' });
    expect(loaded).toEqual([
      ...commander,
      'scripts/http-for-undici.cjs',
      'scripts/undici.mjs',
      'scripts/without-part-of-undici.cjs',
      ...own,
      'undici',
    ]);
  });

  test('a request loads no module of Node that takes long to load and that it does not need', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
    const loaded = await loadedModules(sandbox, ['groups', 'list'], variables);
    expect(loaded).toContain('net');
    expect(loaded.filter((name) => ['child_process', 'http', 'http2', 'https', 'tls'].includes(name))).toEqual([]);
  });

  test('help loads no web streams of Node', async () => {
    await using sandbox = await Sandbox.make();
    expect(await loadedModules(sandbox, ['--help'], {})).not.toContain('stream/web');
  });

  test('a request has the limit of headers that an option of Node sets', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [], headers: { 'x-long': 'x'.repeat(20_000) } }));
    const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
    const list = ['groups', 'list', '-o', 'json', '--max-wait', '0'];
    expect((await sandbox.iam(list, variables)).code).not.toBe(0);
    const longer = { ...variables, NODE_OPTIONS: '--max-http-header-size=65536' };
    expect(await sandbox.iam(list, longer)).toMatchObject({ code: 0, out: '[]\n' });
  });

  test('a table loads string-width only for text beyond Latin-1', async () => {
    await using sandbox = await Sandbox.make();
    await using latin = await startFakeServer(() => ({ json: [{ groupName: 'Zo\u00eb' }] }));
    await using chinese = await startFakeServer(() => ({ json: [{ groupId: '\u6f22', groupName: 'x' }] }));
    const list = ['groups', 'list', '-o', 'table'];
    const variables = { IAM_BASE_URL: latin.url, IAM_TOKEN: 't' };
    expect(await loadedOrigins(sandbox, list, variables)).not.toContain('string-width');
    const others = { ...variables, IAM_BASE_URL: chinese.url };
    expect(await loadedOrigins(sandbox, list.slice(0, 2), others)).toContain('string-width');
    expect((await sandbox.iam(list, others)).out).toBe('GROUP ID  GROUP NAME\n\u6f22        x\n');
  });

  test('a plan loads YAML and reports document errors normally', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
    await writeFile(sandbox.file('iam.yaml'), 'groups:\n  - groupName: a\n');
    const loaded = await loadedOrigins(sandbox, ['plan', '-f', 'iam.yaml', '--color', 'never'], variables);
    expect(loaded).toContain('yaml');
    expect(loaded.filter((name) => ['zod', 'inquirer', 'src/server'].includes(name))).toEqual([]);
    await writeFile(sandbox.file('iam.yaml'), 'groups:\n  - name: a\n');
    const outcome = await sandbox.iam(['plan', '-f', 'iam.yaml', '-o', 'json'], variables);
    expect([outcome.code, JSON.parse(outcome.err)]).toMatchObject([2, { error: { code: 'DOCUMENT_INVALID' } }]);
    expect(outcome.err).toContain('iam.yaml:2:5: groups: unknown field name');
  });
});

describe('the compile cache', () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isSupported = major > 22 || (major === 22 && minor >= 8);

  const listFolder = (folder: string) => readdir(folder).catch(() => []);

  test('is in a folder that only the user can write, where this Node has one', async () => {
    await using sandbox = await Sandbox.make();
    const { done } = sandbox.start('sh', ['-c', 'umask 000; exec "$0" "$1" --version', process.execPath, bin]);
    expect(await done).toMatchObject({ code: 0, err: '' });
    const folder = sandbox.file('cache/iam/compiled');
    expect((await listFolder(folder)).length > 0).toBe(isSupported);
    if (isSupported) expect((await stat(folder)).mode & 0o077).toBe(0);
  });

  test('is not used in a folder that others can write', async () => {
    await using sandbox = await Sandbox.make();
    const folder = sandbox.file('cache/iam/compiled');
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    expect(await sandbox.iam(['--version'])).toMatchObject({ code: 0, err: '' });
    expect(await listFolder(folder)).toEqual([]);
  });

  test('is not needed', async () => {
    await using sandbox = await Sandbox.make();
    await writeFile(sandbox.file('cache'), 'not a folder');
    const { done } = sandbox.start(process.execPath, [bin, '--version'], { HOME: '/nonexistent' });
    expect(await done).toMatchObject({ code: 0, err: '' });
  });
});
