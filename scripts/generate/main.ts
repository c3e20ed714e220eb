/** Writes every generated file that is committed. `npm run generate` bundles and runs it; a test compares what it would write. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedFiles } from './files.ts';

const root = process.argv[2] ?? '.';

for (const [file, content] of await generatedFiles(root)) {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  if (current(target) !== content) writeFileSync(target, content);
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
