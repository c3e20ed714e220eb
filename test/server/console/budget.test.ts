/** What a browser loads before the first page of the console is usable: limits for its compressed size, and its styles. Needs dist/. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { root } from '../../conformance/source-files.ts';

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const folder = path.join(root, 'dist/console');
const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Readonly<
  Record<string, Chunk>
>;

/** The chunk with all that it imports. */
function collectChunks(key: string, found = new Set<string>()): Set<string> {
  if (found.has(key)) return found;
  found.add(key);
  for (const each of manifest[key]?.imports ?? []) collectChunks(each, found);
  return found;
}

const first = [...new Set(['index.html', 'src/pages/inbox/inbox-page.tsx'].flatMap((key) => [...collectChunks(key)]))];
const kilobytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(folder, file))).length, 0) / 1000;

test('the first page needs at most 270 kB of scripts and 45 kB of styles', ({ annotate }) => {
  const chunks = first.map((key) => manifest[key]).filter((chunk) => chunk !== undefined);
  const scripts = kilobytes(chunks.map(({ file }) => file));
  const styles = kilobytes([...new Set(chunks.flatMap(({ css = [] }) => css))]);
  expect(chunks.length).toBeGreaterThan(1);
  expect(scripts).toBeGreaterThan(50);
  expect(scripts).toBeLessThan(270);
  expect(styles).toBeGreaterThan(10);
  expect(styles).toBeLessThan(45);
  return annotate(`${scripts.toFixed(0)} kB of scripts, ${styles.toFixed(0)} kB of styles`);
});

test('every component of Mantine has its styles', () => {
  const read = (ending: string) =>
    readdirSync(path.join(folder, 'assets'))
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(path.join(folder, 'assets', name), 'utf8'))
      .join('');
  const classesOf = (text: string) => new Set(text.match(/\bm_[\da-f]{6,8}\b/g));
  const all = classesOf(readFileSync(path.join(root, 'node_modules/@mantine/core/styles.css'), 'utf8'));
  const styled = classesOf(read('.css'));
  expect(all.size).toBeGreaterThan(styled.size);
  // A class that is missing: import the file of its component in packages/console/src/mantine.css.
  expect([...classesOf(read('.js'))].filter((name) => all.has(name) && !styled.has(name))).toEqual([]);
});
