/** Lists the exports of an entry file with their declarations, read from the source text, which is formatted by Biome. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Reads a file, relative to the project's root, without comments. */
export type ReadCode = (file: string) => string;

export function createCodeReader(root: string): ReadCode {
  return (file) =>
    readFileSync(path.join(root, file), 'utf8')
      .replaceAll(/^\s*\/\*[\s\S]*?\*\/\n/gm, '')
      .replaceAll(/^\s*\/\/.*\n/gm, '');
}

/** Name of each export -> its declaration. @throws Error for an export that has none. */
export function listExports(file: string, read: ReadCode): Map<string, string> {
  const code = read(file);
  const exports = new Map<string, string>();
  for (const [, target = ''] of code.matchAll(/^export (?:type )?\* from '(\..*)';$/gm))
    for (const [name, declaration] of listExports(resolve(file, target), read)) exports.set(name, declaration);
  for (const { name, original, target } of listNamed(code, 'export'))
    exports.set(name, findDeclaration(target === undefined ? file : resolve(file, target), original, read));
  for (const [, name = ''] of code.matchAll(declared)) exports.set(name, cutDeclaration(code, name));
  return new Map([...exports].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const declared = /^export (?:async )?(?:function\*?|class|interface|type|const) (\w+)/gm;

interface NamedBinding {
  readonly name: string;
  readonly original: string;
  readonly target: string | undefined;
}

/** The names in the braces of `export { ... } from` or `import { ... } from`. */
function listNamed(code: string, keyword: 'export' | 'import'): NamedBinding[] {
  const statement = new RegExp(`^${keyword} (?:type )?\\{([^}]*)\\}(?: from '([^']+)')?;$`, 'gm');
  return [...code.matchAll(statement)].flatMap(([, names = '', target]) =>
    names
      .split(',')
      .map((entry) => entry.trim().replace(/^type /, ''))
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [original = '', name = original] = entry.split(' as ');
        return { name, original, target };
      }),
  );
}

/** Finds a declaration in a file, or in the file from which that imports or exports it. */
function findDeclaration(file: string, name: string, read: ReadCode): string {
  const code = read(file);
  if ([...code.matchAll(declared)].some(([, found]) => found === name)) return cutDeclaration(code, name);
  const binding = [...listNamed(code, 'export'), ...listNamed(code, 'import')].find(
    (one) => one.name === name && one.target !== undefined,
  );
  if (!binding?.target) throw new Error(`${file} has no declaration of ${name}`);
  return findDeclaration(resolve(file, binding.target), binding.original, read);
}

function resolve(file: string, target: string): string {
  return path.posix.join(path.posix.dirname(file), target);
}

/** Cuts a declaration out of the code: without the bodies of functions and without private members. */
function cutDeclaration(code: string, name: string): string {
  const start = code.search(new RegExp(`^export (?:async )?[a-z*]+ ${name}\\b`, 'm'));
  const [first = '', ...rest] = code.slice(start).split('\n');
  if (/^export (async )?function/.test(first)) return cutHeader([first, ...rest]);
  const lines = cutBalanced([first, ...rest]);
  return first.startsWith('export class') ? cutMembers(lines) : lines.join('\n');
}

/** The lines up to the one that closes all brackets and ends a declaration. */
function cutBalanced(lines: readonly string[]): string[] {
  // The lines of a type may close all brackets before its semicolon.
  const end = /^export (class|interface)/.test(lines[0] ?? '') ? /\}$/ : /;$/;
  let depth = 0;
  const last = lines.findIndex((line) => {
    depth += (line.match(/[({[]/g)?.length ?? 0) - (line.match(/[)}\]]/g)?.length ?? 0);
    return depth === 0 && end.test(line);
  });
  return lines.slice(0, last + 1);
}

/** The header of a function or method, up to the brace that opens its body. */
function cutHeader(lines: readonly string[]): string {
  const end = lines.findIndex((line) => line.endsWith(' {') && !/^\s*\S+: \{$/.test(line));
  return lines
    .slice(0, end + 1)
    .join('\n')
    .replace(/ \{$/, ';');
}

/** The public members of a class; Biome indents them by two spaces. */
function cutMembers([first = '', ...rest]: readonly string[]): string {
  const members = rest.flatMap((line, at) => {
    if (!/^ {2}[a-z]/.test(line) || /^ {2}private /.test(line)) return [];
    return line.endsWith(';') ? [line] : [cutHeader(rest.slice(at))];
  });
  return [first, ...members, '}'].join('\n');
}
