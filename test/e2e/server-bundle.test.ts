/** The built server: the V8 code cache is valid, and the server starts without it. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './cli-process.ts';

const built = path.join(root, 'dist/server');
let folder: string;

beforeAll(async () => {
  await mkdir(path.join(root, 'node_modules/.cache'), { recursive: true });
  // Where its packages are resolved.
  folder = await mkdtemp(path.join(root, 'node_modules/.cache/iam-server-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Serves until it is ready and prints its exit. */
const start = `
const { serve } = require(process.argv[1]);
const io = { stderr: process.stderr, stdout: { write: (line) => process.emit('SIGTERM') && line } };
serve({ flags: { port: '0', store: 'memory', json: true }, environment: {}, io })
  .then((exitCode) => process.stdout.write('ended ' + exitCode));
`;

function started(main: string): string {
  return execFileSync(process.execPath, ['-e', start, main], { encoding: 'utf8' });
}

/** Runs in a separate process, because V8 accepts cached code only with the flags of its compilation. */
const tryCode = `
const { scriptOf, codeFile } = require(process.argv[1]);
for (const file of process.argv.slice(2)) {
  const script = scriptOf(file, require('node:fs').readFileSync(codeFile(file)));
  process.stdout.write(script.cachedDataRejected + ' ');
}
`;

describe('the V8 code cache', () => {
  test('exists for the files of a start and is accepted by the Node version of the build', async () => {
    const parts = path.join(built, 'parts');
    const names = (await readdir(parts)).filter((name) => name.endsWith('.code'));
    const files = names.map((name) => path.join(parts, name.replace(/(\.cjs)\..*/, '$1')));
    expect(files).toContain(path.join(parts, 'main.cjs'));
    const loader = path.join(root, 'scripts/cli-part.cjs');
    const rejected = execFileSync(process.execPath, ['-e', tryCode, loader, ...files], { encoding: 'utf8' });
    expect(rejected).toBe('false '.repeat(files.length));
  });

  test.each([
    ['is broken', (file: string) => writeFile(file, 'not a V8 code cache')],
    ['is cut off', async (file: string) => writeFile(file, (await readFile(file)).subarray(0, 5_000))],
    ['is missing', (file: string) => rm(file)],
  ])('is optional: it %s and the server starts', async (_what, change) => {
    const copy = path.join(folder, 'server');
    await rm(copy, { recursive: true, force: true });
    await cp(path.join(built, 'parts'), path.join(copy, 'parts'), { recursive: true });
    await cp(path.join(built, 'main.cjs'), path.join(copy, 'main.cjs'));
    for (const name of await readdir(path.join(copy, 'parts')))
      if (name.endsWith('.code')) await change(path.join(copy, 'parts', name));
    expect(started(path.join(copy, 'main.cjs'))).toBe('ended 0');
  });
});

/** Requests the page and one of its files, then exits. */
const readPage = `
const { serve } = require(process.argv[1]);
const write = async (line) => {
  for (const file of ['docs', 'docs/page.js', 'openapi.json'])
    process.stdout.write((await fetch(JSON.parse(line).url + '/_iam/' + file)).status + ' ');
  process.emit('SIGTERM');
};
const io = { stderr: process.stderr, stdout: { write } };
serve({ flags: { port: '0', store: 'memory', json: true }, environment: {}, io });
`;

test('serves the API documentation page', () => {
  const main = path.join(built, 'main.cjs');
  expect(execFileSync(process.execPath, ['-e', readPage, main], { encoding: 'utf8' })).toBe('200 200 200 ');
});

test('is ASCII, as the loader requires', async () => {
  for (const name of await readdir(path.join(built, 'parts')))
    if (name.endsWith('.cjs'))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
      expect(await readFile(path.join(built, 'parts', name), 'latin1'), name).toMatch(/^[\x00-\x7f]*$/);
});
