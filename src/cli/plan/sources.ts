/** The texts of the documents that were named: files, folders and standard input. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SourceText } from './documents.ts';
import type { Tools } from './tools.ts';

/** Reads all of them; of a folder its YAML and JSON files in the order of their names. */
export async function readSources(tools: Tools, files: readonly string[]): Promise<SourceText[]> {
  if (files.length === 0)
    throw tools.usage(
      'Say with -f which documents to read.',
      '-f takes files and folders, - is standard input; `iam export` writes a document of what is there.',
    );
  if (files.filter((file) => file === '-').length > 1) throw tools.usage('Standard input can be read once only.');
  const named = await Promise.all(files.map((file) => filesAt(tools, file)));
  const texts = named
    .flat()
    .map(async (file) => ({ name: file === '-' ? 'stdin' : file, text: await tools.readText(file) }));
  return Promise.all(texts);
}

async function filesAt(tools: Tools, file: string): Promise<string[]> {
  const isFolder = file !== '-' && ((await stat(file).catch(() => undefined))?.isDirectory() ?? false);
  if (!isFolder) return [file];
  const names = (await readdir(file)).filter((name) => /\.(ya?ml|json)$/i.test(name)).sort();
  if (names.length === 0) throw tools.usage(`The folder ${file} holds no YAML or JSON file.`);
  return names.map((name) => path.join(file, name));
}
