import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { script } from '../scripts/script.ts';
import { root } from './cli-process.ts';

test('README.md shows what its commands print: run npm run transcripts', async () => {
  const { freshReadme } = await script<{ freshReadme(): Promise<string> }>('transcripts.mjs');
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  expect(await freshReadme()).toBe(readme);
  expect(readme.match(/^```console$/gm)?.length).toBeGreaterThan(2);
}, 120_000);
