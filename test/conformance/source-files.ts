/** Lists the source files of the project and their imports, for the tests that inspect them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The folders with the sources of what is published. */
const sourceFolders = ['src', 'packages/console/src'];

export function listAllSourceFiles(): string[] {
  return sourceFolders.flatMap(listSourceFiles);
}

/** TypeScript files below a folder, relative to the project's root, with slashes. */
export function listSourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.split(path.sep).join('/')))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    .sort();
}

export function readSource(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The code of a file without comments, which may contain forbidden names. */
export function stripComments(file: string): string {
  return readSource(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '');
}

export interface Import {
  /** A file relative to the root, or the name of a package or of a module of Node. */
  readonly target: string;
  /** `type` is erased by the compiler; `lazy` is a dynamic import. */
  readonly kind: 'value' | 'type' | 'lazy';
}

const statement = /^(?:import|export)\s+(?:(type)\s+)?(?:[\w$*{}\s,]+?\s+from\s+)?'([^']+)'/gm;
const expression = /\bimport\(\s*'([^']+)'\s*\)/g;

export function listImports(file: string): Import[] {
  const code = stripComments(file);
  const found = [...code.matchAll(statement)].map(
    ([, type, target = '']): Import => ({ target: resolveTarget(file, target), kind: type ? 'type' : 'value' }),
  );
  const lazy = [...code.matchAll(expression)].map(
    ([, target = '']): Import => ({ target: resolveTarget(file, target), kind: 'lazy' }),
  );
  return [...found, ...lazy];
}

function resolveTarget(file: string, target: string): string {
  return target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target) : target;
}

/** Files and packages that these files load statically: no dynamic imports and no types. */
export function collectLoaded(files: readonly string[]): Set<string> {
  const loaded = new Set<string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    if (!file.startsWith('src/')) continue;
    waiting.push(
      ...listImports(file)
        .filter(({ kind }) => kind === 'value')
        .map(({ target }) => target),
    );
  }
  return loaded;
}
