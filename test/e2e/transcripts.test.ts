import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadScript } from '../scripts/load-script.ts';
import { root, Sandbox } from './cli-process.ts';
import { startShellCommand } from './shell-command.ts';

interface Transcripts {
  readonly transcriptPages: readonly string[];
  renderPage(page: string, program: string): Promise<string>;
}

const { transcriptPages, renderPage } = await loadScript<Transcripts>('transcripts.mjs');

describe.each(transcriptPages)('%s', (page) => {
  test('shows what its commands print: run npm run transcripts', async () => {
    const text = await readFile(path.join(root, page), 'utf8');
    expect(text).toMatch(/^```console\n\$ iam /m);
    await using sandbox = await Sandbox.make();
    await using iam = await startShellCommand(sandbox.file('iam'));
    expect(await renderPage(page, iam.file)).toBe(text);
  }, 120_000);
});
