import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFake } from '../client/fake-server.ts';
import { root, Sandbox } from './cli-process.ts';

const heavy = ['undici', 'inquirer', 'yaml', 'zod', 'chalk'];
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

/** Packages and folders of sources in a chunk and in everything that it imports at once. */
function contents(chunk: string): Set<string> {
  const seen = new Set([chunk]);
  for (const name of seen)
    for (const { kind, path: imported, external } of metafile.outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && !external) seen.add(imported);
  return new Set([...seen].flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}).map(origin)));
}

function origin(input: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? input.split('/').slice(0, 2).join('/');
}

function chunkOf(entryPoint: string): string {
  const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entryPoint);
  return found?.[0] ?? '';
}

describe('the bundle', () => {
  test('holds neither the server nor zod', () => {
    const all = new Set(Object.keys(metafile.outputs).flatMap((chunk) => [...contents(chunk)]));
    expect([...all].filter((name) => name === 'src/server' || name === 'zod')).toEqual([]);
  });

  test('starts with next to nothing, and builds its commands without the heavy packages', () => {
    expect([...contents(chunkOf('src/cli/main.ts'))]).toEqual(['src/cli']);
    expect([...contents(chunkOf('src/cli/run.ts'))].sort()).toEqual([
      'commander',
      'src/cli',
      'src/client',
      'src/contract',
      'unused:child_process',
    ]);
  });

  test('has of undici what one call needs', () => {
    const { inputs } = metafile.outputs[chunkOf('src/client/create-client.ts')] ?? { inputs: {} };
    expect(Object.keys(inputs).filter((input) => /undici\/lib\/(web\/fetch\/index|mock|cache)/.test(input))).toEqual(
      [],
    );
  });
});

/** The chunks of the built command that a run loads. */
async function loadedChunks(
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
    .map((url) => path.basename(url).replace(/-[A-Z0-9]+\.js$/, ''));
}

describe('loading', () => {
  test.each([
    [['--version']],
    [['--help']],
    [['groups', 'update', '--help']],
    [['config', 'explain']],
    [['profile', 'list']],
    [['help', 'output']],
  ])('%j takes none of the heavy packages', async (words) => {
    await using sandbox = await Sandbox.make();
    const chunks = await loadedChunks(sandbox, words);
    expect(chunks).toContain('main.js');
    expect(
      chunks.filter(
        (chunk) => ![...(words[0] === '--version' ? [] : ['chunk-run']), 'main.js', 'chunk-chunk'].includes(chunk),
      ),
    ).toEqual([]);
  });

  test('a call loads the client, and neither prompts nor YAML nor the server', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFake(() => ({ json: [] }));
    const chunks = await loadedChunks(sandbox, ['groups', 'list'], { IAM_BASE_URL: server.url, IAM_TOKEN: 't' });
    expect([...new Set(chunks)].sort()).toEqual(['chunk-chunk', 'chunk-create-client', 'chunk-run', 'main.js']);
  });

  test('the test would notice: asking for YAML loads it', async () => {
    await using sandbox = await Sandbox.make();
    expect(await loadedChunks(sandbox, ['config', 'explain', '-o', 'yaml'])).toContain('chunk-yaml');
    expect(heavy).toContain('yaml');
  });
});
