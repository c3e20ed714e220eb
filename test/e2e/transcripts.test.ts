import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadScript } from '../scripts/load-script.ts';
import { root } from './cli-process.ts';

test('README.md shows what its commands print: run npm run transcripts', async () => {
  const { renderReadme } = await loadScript<{ renderReadme(): Promise<string> }>('transcripts.mjs');
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  expect(await renderReadme()).toBe(readme);
  expect(readme.match(/^```console$/gm)?.length).toBeGreaterThan(2);
}, 120_000);
