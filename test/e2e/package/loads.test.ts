/** Every built file can be loaded, and commands run from the built files. Needs dist/ (npm run build). */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { run } from '../../../src/cli/run.ts';
import { ExampleRunner, readCatalogue, testedElsewhere } from '../../cli/conformance/example-runner.ts';
import { isFullRun } from '../../effort.ts';
import { bin, root } from '../cli-process.ts';

const { outputs } = JSON.parse(await readFile(path.join(root, 'dist/metafile.json'), 'utf8')) as Metafile;
const load = createRequire(import.meta.url);
const fileOf = (output: string) => path.resolve(path.dirname(bin), '..', output);
/** All in a full run; else every third: all run from the sources, in test/cli/conformance. */
const entries = (await readCatalogue())
  .filter(({ command }) => testedElsewhere[command] === undefined)
  .filter((_, at) => isFullRun || at % 3 === 0);

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
});
afterAll(() => runner[Symbol.asyncDispose]());

const [outputOfRun = ''] = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === 'src/cli/run.ts');
const { run: runBuilt } = load(fileOf(outputOfRun)) as { run: typeof run };

test.each(entries)('iam $command', async ({ examples: [example = ''], effect, effectVaries }) => {
  await runner.reset();
  const { code, run } = await runner.prepare(example);
  const confirmation = effect === 'destructive' && !effectVaries ? ['--yes'] : [];
  const outcome = await run(confirmation, {}, runBuilt);
  expect(outcome.code, outcome.err).toBe(code);
});

test('every file can be loaded', () => {
  // Loading the command runs it: all tests with processes do that.
  const files = Object.keys(outputs).filter((output) => outputs[output]?.entryPoint !== 'src/cli/main.ts');
  expect(files.length).toBeGreaterThan(100);
  for (const output of files) expect(() => load(fileOf(output)), output).not.toThrow();
});
