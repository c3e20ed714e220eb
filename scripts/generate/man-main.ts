/** Writes the manual pages and the completion scripts. The build bundles and runs it with the target folders. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shellScripts } from '../../src/cli/commands/completion/shell-scripts.ts';
import { renderManPages } from '../../src/cli/man-pages.ts';

const [, , manFolder = 'dist/man', completionFolder = 'dist/completions'] = process.argv;

/** The names under which the shells look for the script of `iam`. */
const completionFiles: Readonly<Record<string, string>> = { bash: 'iam.bash', zsh: '_iam', fish: 'iam.fish' };

function writeFiles(folder: string, files: Iterable<readonly [name: string, text: string]>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(path.join(folder, name), text);
}

const completions = Object.entries(shellScripts).map(
  ([shell, { text }]) => [completionFiles[shell] ?? `iam.${shell}`, text('iam')] as const,
);
writeFiles(manFolder, await renderManPages());
writeFiles(completionFolder, completions);
