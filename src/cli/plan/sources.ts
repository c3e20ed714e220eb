/** Reads documents from files, folders and standard input. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { PlanDeps } from './deps.ts';
import type { SourceText } from './documents.ts';

/** Reads all documents; a folder contributes its YAML and JSON files sorted by name. */
export async function readSources(deps: PlanDeps, files: readonly string[]): Promise<SourceText[]> {
  if (files.length === 0)
    throw deps.usage(
      '-f is required.',
      'Name files or folders with -f, or - for standard input. `iam export` prints a document of the current state.',
    );
  if (files.filter((file) => file === '-').length > 1) throw deps.usage('Standard input can be read only once.');
  const named = await Promise.all(files.map((file) => listFiles(deps, file)));
  const texts = named
    .flat()
    .map(async (file) => ({ name: file === '-' ? 'stdin' : file, text: await deps.readText(file) }));
  return Promise.all(texts);
}

async function listFiles(deps: PlanDeps, file: string): Promise<string[]> {
  const isFolder = file !== '-' && ((await stat(file).catch(() => undefined))?.isDirectory() ?? false);
  if (!isFolder) return [file];
  const names = (await readdir(file)).filter((name) => /\.(ya?ml|json)$/i.test(name)).sort();
  if (names.length === 0) throw deps.usage(`The folder ${file} contains no YAML or JSON file.`);
  return names.map((name) => path.join(file, name));
}
