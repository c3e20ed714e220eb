/** The texts of the documents that were named: files, folders and standard input. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { PlanDeps } from './deps.ts';
import type { SourceText } from './documents.ts';

/** Reads all of them; of a folder its YAML and JSON files in the order of their names. */
export async function readSources(deps: PlanDeps, files: readonly string[]): Promise<SourceText[]> {
  if (files.length === 0)
    throw deps.usage(
      'Say with -f which documents to read.',
      '-f takes files and folders, - is standard input; `iam export` writes a document of what is there.',
    );
  if (files.filter((file) => file === '-').length > 1) throw deps.usage('Standard input can be read once only.');
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
  if (names.length === 0) throw deps.usage(`The folder ${file} holds no YAML or JSON file.`);
  return names.map((name) => path.join(file, name));
}
